// A simulated worker over plain HTTP, as a third party would write one: it registers, claims, sends
// heartbeats and reports, each call by itself. Calls and their answers may be lost.

import type { RunningCoordinator } from '../../coordinator/coordinator.ts';
import type { Result } from '../../coordinator/port/rejection.ts';
import type { Bearer } from '../../coordinator/port/tokens.ts';
import type { ClaimedAssignment } from '../../coordinator/port/workers.ts';
import { payloadText, RawJson } from '../../protocol/codec.ts';
import type { AttemptRef, StopOrder, WorkerMessage } from '../../protocol/messages.ts';
import { localOwner } from '../../protocol/owner.ts';
import type { ExecutorEvent, ExecutorOutcome } from '../../worker/executor.ts';
import type { Clock } from '../clock.ts';
import { drawLease, type Lease } from './device.ts';
import type { Door } from '../door.ts';
import { DeviceClock } from './device-clock.ts';
import { Pass } from './pass.ts';
import type { RestOrder } from '../../worker/machine/machine.ts';
import { saidOf } from './presence.ts';
import type { Faults } from '../faults.ts';
import type { Prng } from '../prng.ts';
import type { ProgramChecker } from '../checkers/program-checker.ts';
import { lie } from '../checkers/task-checker.ts';
import { type Nature, SimExecutor } from './sim-executor.ts';

export interface PullWorld {
  readonly clock: Clock;
  readonly prng: Prng;
  readonly faults: () => Faults;
  /** Calls the coordinator through the network; null when no answer came. */
  readonly call: <T>(
    caller: Caller,
    ask: (coordinator: RunningCoordinator, bearer: Bearer | null) => Promise<Result<T>>,
    answered: (result: Result<T> | null) => void,
    patienceMs?: number,
  ) => void;
  readonly door: Door;
  /** Attempts that were sent to any worker, as if it had intercepted them; the newest last. */
  readonly seen: readonly AttemptRef[];
  /** Called when it does what it may not before somebody has let it in. */
  readonly onImpatience: () => void;
  /** Called when an answer with assignments was lost. */
  readonly onLostClaim: () => void;
  /** Called when a claim was given up before its answer. */
  readonly onLeftClaim: () => void;
  readonly programs: ProgramChecker;
  readonly log: (line: string) => void;
}

/** Who calls: the worker, null before it is registered, and the token that it shows. */
export interface Caller {
  readonly workerId: string | null;
  readonly shown: string | null;
}

/** `sleepy` sends heartbeats and never claims; `silent` claims and never sends heartbeats. */
export type PullStyle = 'honest' | 'sleepy' | 'silent';

interface Held {
  readonly ref: AttemptRef;
  readonly slot: number;
  /** Null while it runs. */
  report: WorkerMessage | null;
}

const beatMs = 5000;
/** Refusals of a registration after which it needs another link. */
const hasNoPlace: ReadonlySet<string> = new Set(['unauthorized', 'forbidden']);

export class PullDevice {
  readonly name: string;
  private readonly style: PullStyle;
  /** Survives crashes. */
  identity: { readonly id: string; readonly token: string } | null = null;
  readonly pass: Pass;
  private readonly world: PullWorld;
  private readonly slots: number;
  private readonly lease: Lease;
  private readonly room: string;
  private readonly nature: Nature;
  private clock: DeviceClock | null = null;
  private executor: SimExecutor | null = null;
  private held = new Map<string, Held>();
  private isClaiming = false;
  private refusesUntil = 0;
  /** Why it rests now; null: it works. */
  private resting: RestOrder | null = null;
  /** It was told that a person must let it in. */
  private isWaiting = false;

  constructor(name: string, room: string, style: PullStyle, nature: Nature, world: PullWorld) {
    this.name = name;
    this.room = room;
    this.style = style;
    this.nature = nature;
    this.world = world;
    this.pass = new Pass(world.door);
    this.slots = world.prng.integer(1, 3);
    this.lease = drawLease(world.prng);
  }

  get isAlive(): boolean {
    return this.clock !== null;
  }

  get isOut(): boolean {
    return this.pass.isOut;
  }

  takeLink(link: string): void {
    this.pass.take(link);
    this.start();
  }

  start(): void {
    if (this.clock !== null || this.pass.isOut) return;
    const clock = new DeviceClock(this.world.clock, 0);
    this.clock = clock;
    this.held = new Map();
    this.isClaiming = false;
    this.executor = new SimExecutor(clock, this.slots, this.nature, (event) =>
      this.hear(clock, event),
    );
    this.begin();
  }

  crash(): void {
    void this.executor?.close();
    this.clock = null;
  }

  /** From now on it takes nothing new, as a phone does whose battery is low. */
  refuseFor(ms: number): void {
    this.refusesUntil = this.world.clock.now + ms;
  }

  /** Begins a rest, or ends it (null), and says so at once. */
  rest(rest: RestOrder | null): void {
    if (this.resting === rest) return;
    this.resting = rest;
    this.tell();
    if (rest === null || rest.keeps) return;
    for (const [key, { ref, slot, report }] of this.held) {
      if (report !== null) continue;
      this.executor?.stop(slot, key, 'leaving');
      this.refuse(ref);
    }
  }

  sleep(): void {
    this.clock?.sleep();
  }

  wake(): void {
    this.clock?.wake();
  }

  private begin(): void {
    if (this.identity === null) return this.register();
    this.beat();
    this.claim();
  }

  private register(): void {
    const { name, slots, room, lease } = this;
    const device = { name, type: 'pc', platform: 'linux', slots, labels: { room }, ...lease };
    this.ask(
      (coordinator, bearer) => coordinator.pullWorkers.register({ device }, bearer),
      (result) => {
        if (result?.ok === false && hasNoPlace.has(result.rejection.code)) return this.turnedAway();
        if (result?.ok !== true) return this.later(2000, () => this.register());
        const { worker_id: id, worker_token: token, waiting_for_approval: waits } = result.value;
        this.identity = { id, token };
        this.pass.receive(token);
        this.isWaiting = waits === true;
        if (this.isWaiting) this.beImpatient();
        this.begin();
      },
    );
  }

  private beat(): void {
    const { identity } = this;
    if (identity === null) return;
    const leaseMs = 1000 * (this.lease.lease_seconds ?? 0);
    this.later(Math.max(beatMs, leaseMs / 3), () => this.beat());
    this.tell();
  }

  /** How it is, and what it holds. */
  private tell(): void {
    const { identity } = this;
    if (identity === null || this.clock === null || this.style === 'silent') return;
    const said = saidOf(this.resting);
    const held = [...this.held.values()].map(({ ref }) => ref);
    const running = this.isWaiting ? this.world.seen.slice(-3) : held;
    this.ask(
      (coordinator) =>
        coordinator.pullWorkers.heartbeat(identity.id, identity.token, {
          telemetry: {},
          running,
          ...said,
        }),
      (result) => {
        if (result?.ok === true) this.stop(result.value.stop);
        else if (result !== null) this.refused(result.rejection.code);
      },
    );
  }

  private claim(): void {
    const { identity, world } = this;
    const free = this.slots - this.held.size;
    if (identity === null || free <= 0 || this.isClaiming || this.style === 'sleepy') return;
    this.isClaiming = true;
    const waitMs = world.prng.pick([0, 2000, 10_000]);
    const signal = this.mayLeave(waitMs);
    this.ask(
      (coordinator) =>
        coordinator.pullWorkers.claim(identity.id, identity.token, { max: free, waitMs, signal }),
      (result) => {
        this.isClaiming = false;
        if (result?.ok === false) return this.refused(result.rejection.code);
        if (result !== null && result.value.length > 0) this.isWaiting = false;
        if (result !== null && this.arrives(result.value, signal)) {
          for (const assignment of result.value) this.take(assignment);
        }
        this.later(world.prng.spread(20, 2000), () => this.claim());
      },
      waitMs + beatMs,
    );
  }

  /** A signal for a claim; in some claims it is aborted before the answer. */
  private mayLeave(waitMs: number): AbortSignal {
    const { prng, faults, onLeftClaim, clock } = this.world;
    const line = new AbortController();
    if (prng.chance(faults().leftClaims)) {
      onLeftClaim();
      clock.after(prng.spread(0.1, waitMs + 100), () => line.abort());
    }
    return line.signal;
  }

  private arrives(assignments: readonly unknown[], signal: AbortSignal): boolean {
    const { prng, faults, onLostClaim } = this.world;
    if (assignments.length === 0) return true;
    const isLost = signal.aborted || prng.chance(faults().lostClaims);
    if (isLost) onLostClaim();
    return !isLost;
  }

  private take(assignment: ClaimedAssignment): void {
    const { task_id, attempt, token, job_id: jobId, index, checkpoint } = assignment;
    const key = `${task_id}#${attempt}`;
    // The same answer has arrived twice.
    if (this.held.has(key)) return;
    if (this.isRefusing()) return this.refuse({ task_id, attempt, token });
    const used = new Set([...this.held.values()].map(({ slot }) => slot));
    let slot = 0;
    while (used.has(slot)) slot++;
    this.held.set(key, { ref: { task_id, attempt, token }, slot, report: null });
    this.world.programs.ran(jobId, assignment.program.source);
    const program = {
      jobId,
      kind: 'javascript',
      source: '',
      checkpointIntervalMs: null,
    } as const;
    const stateJson = checkpoint === undefined ? null : payloadText(checkpoint.state);
    const inputJson = payloadText(assignment.input);
    const progress = checkpoint?.progress ?? 0;
    const { owner = localOwner } = assignment;
    const what = { key, owner, taskId: task_id, index, attempt, inputJson };
    const task = { ...what, stateJson, progress, timeoutMs: null };
    this.executor?.run(slot, program, [task]);
  }

  /** In the second act every device takes what it is given. */
  private isRefusing(): boolean {
    const { clock, faults } = this.world;
    if (this.resting !== null) return true;
    return clock.now < this.refusesUntil && faults().moodsPerSecond > 0;
  }

  /** Said once: when it does not arrive, the heartbeats show that the device does not have the attempt. */
  private refuse(ref: AttemptRef): void {
    const { identity } = this;
    if (identity === null) return;
    const messages: WorkerMessage[] = [
      { type: 'refusal', refusals: [{ ...ref, reason: 'battery is low' }] },
    ];
    this.ask(
      (coordinator) => coordinator.pullWorkers.report(identity.id, identity.token, messages),
      () => this.claim(),
    );
  }

  private hear(clock: DeviceClock, event: ExecutorEvent): void {
    if (this.clock !== clock) return;
    switch (event.type) {
      case 'started':
        return this.mention(event.key, (ref) => ({ type: 'started', started: [ref] }));
      case 'progress': {
        const { progress } = event;
        return this.mention(event.key, (ref) => ({
          type: 'progress',
          progress: [{ ...ref, progress }],
        }));
      }
      case 'checkpoint': {
        const { sequence, progress, state, runMs } = event;
        if (state.encoding !== 'json') return;
        return this.mention(event.key, (ref) => ({
          type: 'checkpoint',
          checkpoints: [
            { ...ref, sequence, progress, state: new RawJson(state.text), run_ms: runMs },
          ],
        }));
      }
      case 'finished':
        for (const outcome of event.outcomes) this.finish(outcome);
        return;
      case 'output':
      case 'returned':
        return;
    }
  }

  /** Sends a message once; it may be lost without harm. */
  private mention(key: string, say: (ref: AttemptRef) => WorkerMessage): void {
    const { identity } = this;
    const held = this.held.get(key);
    if (held === undefined || identity === null) return;
    const messages = [say(held.ref)];
    this.ask(
      (coordinator) => coordinator.pullWorkers.report(identity.id, identity.token, messages),
      () => undefined,
    );
  }

  private finish(outcome: ExecutorOutcome): void {
    const held = this.held.get(outcome.key);
    if (held === undefined) return;
    if (outcome.type === 'stopped') return this.drop(outcome.key);
    const { ref } = held;
    const { runMs: run_ms } = outcome;
    if (outcome.type === 'result') {
      const value = new RawJson(outcome.valueJson);
      held.report = { type: 'result', results: [{ ...ref, value, run_ms }] };
    } else {
      const { errorType: error_type, errorMessage: error_message } = outcome;
      const failure = { ...ref, error_type, error_message, run_ms };
      held.report = { type: 'failure', failures: [failure] };
    }
    this.report(outcome.key, held);
  }

  /** Sends a report again and again until it is answered. */
  private report(key: string, held: Held): void {
    const { identity } = this;
    const { report } = held;
    if (identity === null || report === null || this.held.get(key) !== held) return;
    this.ask(
      (coordinator) => coordinator.pullWorkers.report(identity.id, identity.token, [report]),
      (result) => {
        if (result === null) return this.later(500, () => this.report(key, held));
        if (!result.ok) return this.refused(result.rejection.code);
        this.drop(key);
      },
    );
  }

  private stop(orders: readonly StopOrder[]): void {
    for (const { task_id, attempt } of orders) {
      const key = `${task_id}#${attempt}`;
      const held = this.held.get(key);
      if (held === undefined) continue;
      if (held.report !== null) this.drop(key);
      else this.executor?.stop(held.slot, key, 'revoked');
    }
  }

  private drop(key: string): void {
    this.held.delete(key);
    this.claim();
  }

  /** While it waits it says what it may not: that an attempt of somebody else is done. */
  private beImpatient(): void {
    const { prng, seen, onImpatience } = this.world;
    this.later(prng.spread(100, 5000), () => {
      const { identity } = this;
      const stolen = seen.at(-1);
      if (!this.isWaiting || identity === null) return;
      this.beImpatient();
      if (stolen === undefined) return;
      onImpatience();
      const messages: WorkerMessage[] = [
        { type: 'started', started: [stolen] },
        { type: 'result', results: [{ ...stolen, value: lie }] },
      ];
      this.ask(
        (coordinator) => coordinator.pullWorkers.report(identity.id, identity.token, messages),
        () => undefined,
      );
    });
  }

  /** Nothing that it has lets it in, or it tries its link. */
  private turnedAway(): void {
    this.identity = null;
    this.crash();
    if (this.pass.mayTryAgain(this.pass.shown(null))) this.start();
    else this.pass.refused();
  }

  private refused(code: string): void {
    this.world.log(`${this.name}: ${code}`);
    if (code === 'unauthorized') return this.turnedAway();
    this.identity = null;
    this.crash();
    // An operator has removed it: it stays away until it is started again.
    if (code === 'deregistered') this.pass.refused();
    else this.world.clock.after(1000, () => this.start());
  }

  private later(ms: number, fn: () => void): void {
    const { clock } = this;
    clock?.after(ms, () => {
      if (this.clock === clock) fn();
    });
  }

  private ask<T>(
    ask: (coordinator: RunningCoordinator, bearer: Bearer | null) => Promise<Result<T>>,
    answered: (result: Result<T> | null) => void,
    patienceMs?: number,
  ): void {
    const { clock, identity } = this;
    this.world.call(
      { workerId: identity?.id ?? null, shown: this.pass.shown(identity?.token ?? null) },
      ask,
      (result) =>
        clock?.whenAwake(() => {
          if (this.clock === clock) answered(result);
        }),
      patienceMs,
    );
  }
}
