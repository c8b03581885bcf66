// A worker that lies. It registers correctly and then sends everything that the coordinator must not
// believe: wrong tokens, attempts of others, attempts that never existed, old reports with new values. It
// also does what a worker may do: it drops its attempts or lets them fail. No lie may have an effect or
// be acknowledged.

import type { Bearer } from '../../coordinator/port/tokens.ts';
import type { WorkerSession } from '../../coordinator/port/workers.ts';
import type {
  AcceptedReport,
  Assignment,
  AttemptRef,
  CoordinatorMessage,
  HeldAttempt,
  KeptPrograms,
  WelcomeMessage,
  WorkerMessage,
} from '../../protocol/messages.ts';
import { BrokenPromise } from '../broken-promise.ts';
import type { Clock } from '../clock.ts';
import type { Door } from '../door.ts';
import type { Faults } from '../faults.ts';
import { Connection, messagesOf } from '../network.ts';
import type { Prng } from '../prng.ts';
import { Pass } from './pass.ts';
import { lie, lieProgress } from '../checkers/task-checker.ts';
import { behaviourOf, chainAt, resultOf, type SavedState } from '../workload.ts';

export interface LiarWorld {
  readonly clock: Clock;
  readonly prng: Prng;
  readonly faults: () => Faults;
  readonly openSession: (
    sink: { send(frame: string): void; close(): void },
    bearer: Bearer | null,
  ) => WorkerSession | null;
  readonly door: Door;
  /** Attempts that were sent to any worker, as if the liar had intercepted them; the newest last. */
  readonly seen: readonly AttemptRef[];
  readonly onBug: (error: Error) => void;
  readonly onLie: (kind: 'lies' | 'false_checkpoints') => void;
}

interface Given {
  readonly ref: AttemptRef;
  readonly input: string;
}

/** Ended attempts of its own that it remembers, at most. */
const pastMax = 30;

/** Hash of a program that nobody has submitted. */
const noProgram = '0'.repeat(64);

const device = { name: 'liar', type: 'pc', platform: 'linux', slots: 4 } as const;

export class Liar {
  readonly name = 'liar';
  readonly pass: Pass;
  connection: Connection | null = null;
  private readonly world: LiarWorld;
  private identity: { readonly id: string; readonly token: string } | null = null;
  private isOn = false;
  private hasStopped = false;
  private readonly held = new Map<string, AttemptRef>();
  /** Attempts that were its own and have ended. */
  private readonly past: Given[] = [];
  /** Every token that it was ever given. */
  private readonly own = new Set<string>();
  /** True results that were sent. */
  private readonly finished = new Map<string, AttemptRef>();
  /** Reports that were true, or had the right token: these may be acknowledged. */
  private readonly excused = new Set<string>();
  /** Hashes of programs that it was ever sent. */
  private readonly heardOf = new Set<string>();
  private sequence = 0;
  private beats = 0;
  /** The newest knock at the door counts. */
  private knocks = 0;

  constructor(world: LiarWorld) {
    this.world = world;
    this.pass = new Pass(world.door);
  }

  get isOut(): boolean {
    return this.pass.isOut && !this.hasStopped;
  }

  takeLink(link: string): void {
    this.pass.take(link);
    if (this.isOn && this.connection === null) this.connect();
    else this.start();
  }

  start(): void {
    if (this.isOn || this.hasStopped || this.pass.isOut) return;
    this.isOn = true;
    this.connect();
    this.repeat([50, 3000], () => this.sayLie());
    this.repeat([3000, 6000], () => this.beat());
  }

  stop(): void {
    this.isOn = false;
    this.hasStopped = true;
    this.connection?.die('device');
    this.connection = null;
  }

  private repeat(everyMs: readonly [number, number], act: () => void): void {
    this.world.clock.after(this.world.prng.spread(...everyMs), () => {
      if (!this.isOn) return;
      act();
      this.repeat(everyMs, act);
    });
  }

  private connect(): void {
    if (!this.isOn) return;
    const { door } = this.world;
    const shown = this.pass.shown(this.identity?.token ?? null);
    const knock = ++this.knocks;
    const ifNewest = (act: () => void) => this.isOn && knock === this.knocks && act();
    door.knock(
      shown,
      (bearer) => ifNewest(() => this.open(bearer)),
      (why) => ifNewest(() => this.turnedAway(why, shown)),
    );
  }

  /** It tries again with what else it has, or waits for a link. */
  private turnedAway(why: 'unauthorized' | 'closed', shown: string | null): void {
    if (why === 'unauthorized' && !this.pass.mayTryAgain(shown)) {
      this.identity = null;
      return this.pass.refused();
    }
    this.world.clock.after(this.world.prng.spread(100, 5000), () => this.connect());
  }

  private open(bearer: Bearer | null): void {
    const { clock, prng, faults, openSession } = this.world;
    let session: WorkerSession | null = null;
    const lost = () => {
      if (this.connection !== connection) return;
      this.connection = null;
      clock.after(prng.spread(100, 5000), () => this.connect());
    };
    const connection = new Connection(clock, prng, faults, {
      device: {
        frame: (text) => this.connection === connection && this.receive(text),
        closed: lost,
      },
      coordinator: {
        frame: (text) => session?.receive(messagesOf(text) as WorkerMessage[]),
        closed: () => session?.closed(),
      },
    });
    session = openSession(
      {
        send: (frame) => {
          this.expect(frame);
          connection.send('device', frame);
        },
        close: () => connection.close('coordinator'),
      },
      bearer,
    );
    this.connection = connection;
    if (session === null) return lost();
    this.sequence = 0;
    this.say(this.hello());
  }

  private hello(): WorkerMessage {
    const { prng } = this.world;
    const { identity } = this;
    const { programs } = this;
    const attempts = this.claims();
    const base = { type: 'hello', protocol: 1, device, attempts, programs } as const;
    if (identity === null) return base;
    const worker_token = prng.chance(0.2) ? prng.hex(32) : identity.token;
    return { ...base, worker_id: identity.id, worker_token };
  }

  /** The programs that it claims to keep: all that it ever heard of, and one that does not exist. */
  private get programs(): KeptPrograms {
    const kept = [noProgram, ...this.heardOf].map((sha256) => ({ sha256, characters: 1 }));
    return { most: 1000, most_characters: 1e9, kept };
  }

  /** The attempts that it claims to hold: some true, some with wrong tokens, some it never had. */
  private claims(): HeldAttempt[] {
    const { prng } = this.world;
    const own = [...this.held.values()].filter(() => prng.chance(0.7));
    const forged = Array.from({ length: prng.integer(0, 4) }, () => this.forge());
    const all = [...own, ...forged, ...own.filter(() => prng.chance(0.2))];
    return all.map((ref) => ({ ...ref, state: prng.pick(['queued', 'running', 'finished']) }));
  }

  private beat(): void {
    const { prng } = this.world;
    const running = this.claims().map(({ task_id, attempt, token }) => {
      const isOwn = this.held.get(`${task_id}#${attempt}`)?.token === token;
      return { task_id, attempt, token, ...(isOwn ? {} : { progress: lieProgress }) };
    });
    const assign_sequence = prng.pick([this.sequence, this.sequence, 0, 1_000_000]);
    const heartbeat_id = ++this.beats;
    this.say({ type: 'heartbeat', heartbeat_id, telemetry: {}, assign_sequence, running });
  }

  private sayLie(): void {
    const { prng } = this.world;
    const ref = this.forge();
    this.world.onLie('lies');
    switch (prng.integer(0, 10)) {
      case 0:
        return this.say({ type: 'failure', failures: [{ ...ref, ...excuse }] });
      case 1:
        return this.say({ type: 'started', started: [ref] });
      case 2:
        return this.say({ type: 'progress', progress: [{ ...ref, progress: lieProgress }] });
      case 3:
        return this.say({ type: 'release', releases: [{ ...ref, lacks: noProgram }] });
      case 4:
        return this.say({ type: 'refusal', refusals: [{ ...ref, reason: lie }] });
      case 5: {
        const checkpoint = { ...ref, sequence: prng.integer(1, 9), progress: 0.5, state: lie };
        this.world.onLie('false_checkpoints');
        return this.say({ type: 'checkpoint', checkpoints: [checkpoint] });
      }
      case 6:
      case 7:
        return this.saveAgain();
      default:
        return this.say({ type: 'result', results: [{ ...ref, value: lie }] });
    }
  }

  /**
   * Sends a checkpoint of an attempt that it had, with the right token. The state is correct, because the
   * attempt may still be live: the message that ended it may be lost, or overtaken by this one.
   */
  private saveAgain(): void {
    const { prng, onLie } = this.world;
    if (this.past.length === 0) return;
    const { ref, input } = prng.pick(this.past);
    const { id } = behaviourOf(input);
    const state: SavedState = { id, attempt: ref.attempt, step: 0, chain: chainAt(id, 0) };
    const sequence = prng.integer(1, 99);
    onLie('false_checkpoints');
    this.say({ type: 'checkpoint', checkpoints: [{ ...ref, sequence, progress: 0, state }] });
  }

  /** An attempt that is not the liar's, or a wrong token for one that is. */
  private forge(): AttemptRef {
    const { prng, seen } = this.world;
    const own = [...this.held.values()];
    const any = seen.length > 0 ? prng.pick(seen) : nothing;
    const mine = own.length > 0 ? prng.pick(own) : any;
    const isOther = !this.own.has(any.token);
    switch (prng.integer(0, 5)) {
      case 0:
        return { ...mine, token: prng.hex(32) };
      case 1:
        return any.token === mine.token ? nothing : { ...mine, token: any.token };
      case 2:
        return { ...mine, attempt: mine.attempt + prng.pick([-1, 1]) };
      case 3:
        // The right token with the attempt of another worker.
        if (!isOther) return nothing;
        this.excuse(any);
        return any;
      case 4:
        return { ...any, token: prng.hex(32) };
      default:
        return { ...nothing, task_id: prng.pick(strangeIds) };
    }
  }

  private receive(text: string): void {
    for (const message of messagesOf(text) as CoordinatorMessage[]) {
      switch (message.type) {
        case 'welcome':
          this.welcomed(message);
          break;
        case 'assign':
          this.sequence = message.sequence;
          for (const assignment of message.assignments) this.given(assignment);
          break;
        case 'ack':
          for (const accepted of message.accepted) this.acknowledged(accepted);
          break;
        case 'deregistered':
          this.identity = null;
          this.held.clear();
          break;
        default:
          break;
      }
    }
  }

  /** A frame leaves for it: the attempts in it are its own already, whether it arrives or not. */
  private expect(text: string): void {
    for (const message of messagesOf(text) as CoordinatorMessage[]) {
      if (message.type !== 'assign') continue;
      for (const { token } of message.assignments) this.own.add(token);
      for (const { program } of Object.values(message.programs)) {
        if (program.sha256 !== undefined) this.heardOf.add(program.sha256);
      }
    }
  }

  private welcomed({ worker_id: id, worker_token: token }: WelcomeMessage): void {
    // A hello that arrives twice registers two workers: the liar is the newest.
    if (token !== undefined) {
      this.identity = { id, token };
      this.pass.receive(token);
    } else if (id !== this.identity?.id) {
      const who = this.identity?.id ?? 'nobody';
      this.world.onBug(new BrokenPromise(`A hello of ${who} is welcome as ${id}.`));
    }
  }

  /** It may do with its own attempts what it likes: complete them, fail them or forget them. */
  private given(assignment: Assignment): void {
    const { prng, clock } = this.world;
    const { task_id, attempt, token } = assignment;
    const ref = { task_id, attempt, token };
    this.held.set(nameOf(ref), ref);
    this.past.push({ ref, input: JSON.stringify(assignment.input) });
    if (this.past.length > pastMax) this.past.shift();
    const act = prng.pick(['finish', 'fail', 'hold', 'hold', 'refuse', 'release'] as const);
    if (act === 'hold') return;
    clock.after(prng.spread(1, 10_000), () => {
      if (!this.isOn || !this.held.has(nameOf(ref))) return;
      if (act === 'finish') {
        this.excuse(ref);
        const value: unknown = JSON.parse(resultOf(JSON.stringify(assignment.input)));
        this.say({ type: 'result', results: [{ ...ref, value }] });
        this.finished.set(nameOf(ref), ref);
      } else if (act === 'fail') {
        this.excuse(ref);
        this.say({ type: 'failure', failures: [{ ...ref, ...excuse, error_type: 'Error' }] });
      } else if (act === 'refuse') {
        this.say({ type: 'refusal', refusals: [{ ...ref, reason: 'no mood' }] });
      } else {
        this.say({ type: 'release', releases: [ref] });
      }
      this.held.delete(nameOf(ref));
    });
  }

  private acknowledged({ task_id, attempt, kind }: AcceptedReport): void {
    if (kind !== 'result' && kind !== 'failure') return;
    const ref = this.finished.get(`${task_id}#${attempt}`);
    // A report that was accepted is sent once more, with another value.
    if (ref !== undefined) this.say({ type: 'result', results: [{ ...ref, value: lie }] });
    this.finished.delete(`${task_id}#${attempt}`);
    if (this.excused.has(`${task_id}#${attempt}`)) return;
    const what = `A made-up ${kind} of ${task_id} #${attempt} was acknowledged.`;
    this.world.onBug(new BrokenPromise(what));
  }

  private excuse(ref: AttemptRef): void {
    this.excused.add(nameOf(ref));
  }

  private say(message: WorkerMessage): void {
    this.connection?.send('coordinator', JSON.stringify(message));
  }
}

const excuse = { error_type: lie, error_message: lie } as const;
const nothing: AttemptRef = { task_id: 'nobody.0', attempt: 1, token: 'none' };
const strangeIds = ['nobody.0', 'nobody', '', '__proto__.0', 'id000001.999999', 'id000001.-1'];

function nameOf({ task_id, attempt }: AttemptRef): string {
  return `${task_id}#${attempt}`;
}
