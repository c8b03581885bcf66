// The machine that runs the coordinator: it starts the coordinator on the disk that is there, and
// kills it at any step. Timers and answers of a killed coordinator have no effect.

import { createCoordinator, type RunningCoordinator } from '../coordinator/coordinator.ts';
import type { CoordinatorOptions } from '../coordinator/coordinator-options.ts';
import { durableView } from '../coordinator/writer/durable-view.ts';
import type { Delivery } from '../coordinator/port/notifications.ts';
import type { Bearer } from '../coordinator/port/tokens.ts';
import type { SessionElsewhere, SessionSink, WorkerSession } from '../coordinator/port/workers.ts';
import type { Runtime } from '../coordinator/runtime.ts';
import { failedAtFrame, type SentMessage, type Session } from '../coordinator/workers/sessions.ts';
import type { ToldEvent } from '../core/told-events.ts';
import type { AlgorithmId } from '../core/snapshot.ts';
import type { CoreSettings } from '../core/settings.ts';
import type { State } from '../core/state.ts';
import type {
  HeartbeatMessage,
  HelloMessage,
  ReleaseMessage,
  WorkerMessage,
} from '../protocol/messages.ts';
import { isPresence } from './actors/presence.ts';
import type { Leadership } from '../cluster/member.ts';
import { createMemoryDisk, type MemoryDisk } from '../store/memory/memory-disk.ts';
import { createMemoryStore } from '../store/memory/memory-store.ts';
import type { WriteBatch } from '../store/rows.ts';
import { type Store, StoreFault } from '../store/store.ts';
import type { Clock } from './clock.ts';
import { isDiskFault } from './disk-fault.ts';
import type { Faults } from './faults.ts';
import { type CommitWatch, createFaultyStore } from './faulty-store.ts';
import { sha256 } from './links.ts';
import type { Machine, Sink } from './machine.ts';
import { messagesOf } from './network.ts';
import type { Prng } from './prng.ts';
import { Standstill } from './standstill.ts';
import type { Reception } from './receivers.ts';
import { times } from './times.ts';
import type { Keeping } from './workload.ts';

const dayMs = 86_400_000;

export interface HostOptions {
  readonly clock: Clock;
  readonly prng: Prng;
  readonly faults: () => Faults;
  readonly algorithm: AlgorithmId;
  readonly keeping: Keeping;
  readonly onEvents: (events: readonly ToldEvent[]) => void;
  readonly check: (state: State) => void;
  readonly onBug: (error: Error) => void;
  readonly onRestored: (state: State) => void;
  /** Called when a batch is on its way to the disk. */
  readonly onWriting: (batch: WriteBatch) => void;
  readonly onWritten: (batch: WriteBatch) => void;
  readonly onUnreadable: (what: 'payload' | 'row') => void;
  /** Called when a batch is committed, and memory has let go what is over. */
  readonly onSettled: (coordinator: RunningCoordinator) => void;
  /** Called when a frame leaves for a worker, or for the host at which it is. */
  readonly onFrame: (messages: readonly SentMessage[], bearer: Bearer | null) => void;
  readonly onHello: (connectionId: number, message: HelloMessage) => void;
  /** Called when a message has reached the machine; the process may not have read it yet. */
  readonly onArrived: (workerId: string) => void;
  readonly onHeard: (workerId: string) => void;
  /** Called when a `release` is about to be read. */
  readonly onRelease: (workerId: string, message: ReleaseMessage) => void;
  /** What the worker has said last could not be decided, and its connection ends. */
  readonly onUndecided: (workerId: string) => void;
  /** Called when a `hello` or heartbeat is about to be read: what a worker says of itself. */
  readonly onSaid: (
    connectionId: number,
    workerId: string | null,
    message: HelloMessage | HeartbeatMessage,
  ) => void;
  /** Called when a frame leaves for the worker on the connection. */
  readonly onAnswered: (connectionId: number, messages: readonly SentMessage[]) => void;
  /** Called when the process stops for a while; it reads again after `ms`. */
  readonly onStall: (ms: number) => void;
  /** Called when a message of the end of a job leaves; undefined: nobody is told of any. */
  readonly onTold: ((delivery: Delivery) => Reception) | undefined;
  /** Bound for the commands in one batch. */
  readonly batchLimit: number;
  readonly log: (line: string) => void;
  /** What it shares with others that work on the same disk. */
  readonly shared?: SharedDisk;
}

export interface SharedDisk {
  readonly disk: MemoryDisk;
  readonly committed: Committed;
  readonly newId: () => string;
  /** Nobody else has taken over since: what is loaded is what was committed. */
  readonly isInForce: () => boolean;
}

export interface HostSession extends SessionElsewhere {
  readonly connectionId: number;
}

/** The state that a start must load: that of the newest write to the disk, null before the first. */
export class Committed {
  state: unknown = null;
}

/** A coordinator that is stopped, shut out or cannot write any more has ended its term: the host follows. */
const endsOfTerms = new Set([
  'store_deposed',
  'store_write_failed',
  'store_unanswered',
  'store_closed',
]);

export class Host implements Machine {
  readonly disk: MemoryDisk;
  coordinator: RunningCoordinator | null = null;
  private readonly options: HostOptions;
  /** Number of the coordinator's life; calls that belong to an older one have no effect. */
  private life = 0;
  private readonly committed: Committed;
  /** The state as of the batches that are on their way to the disk. */
  private readonly inFlight = new WeakMap<WriteBatch, unknown>();
  private ids = 0;
  /** Error of the machine's clock as of the start of the process. */
  skewMs = 0;
  /** By how much the clock was set while the process runs. */
  private setMs = 0;
  readonly standstill: Standstill;

  constructor(options: HostOptions) {
    this.options = options;
    this.disk = options.shared?.disk ?? createMemoryDisk();
    this.committed = options.shared?.committed ?? new Committed();
    this.standstill = new Standstill(options.clock);
  }

  async start(): Promise<void> {
    if (this.coordinator !== null) return;
    const { prng, faults, log } = this.options;
    const life = ++this.life;
    if (prng.chance(faults().clockJumps)) {
      this.skewMs = prng.integer(-dayMs, dayMs);
      log(`coordinator: its clock is set wrong by ${(this.skewMs / 3_600_000).toFixed(1)} h`);
    }
    let isFull = false;
    const running = await this.load(life, createMemoryStore(this.disk), {
      written: (batch) => this.wrote(batch),
      refusedWrite: () => {
        isFull = true;
      },
    });
    if (!this.isCurrent(life)) return;
    log(`coordinator: life ${life}`);
    this.coordinator = running;
    this.restored(running);
    void running.failed.then((fault) => this.fell(life, fault, isFull));
    // If the coordinator dies before this is acknowledged, the default algorithm will do.
    if (life === 1) this.configure(running);
  }

  /**
   * Leads on a store that others have led on before. What it decides leaves when it may; who asks meanwhile is told that
   * nobody leads.
   */
  async lead(store: Store): Promise<Leadership> {
    const life = ++this.life;
    const isFirst = this.disk.config === null;
    const running = await this.load(life, store, {
      // The log says so, whether this host lives to hear of it or not.
      written: () => undefined,
      refusedWrite: () => undefined,
    });
    if (this.isCurrent(life)) this.restored(running);
    if (this.isCurrent(life)) {
      this.coordinator = running;
      if (isFirst) this.configure(running);
    }
    void running.failed.then((fault) => this.judgeEnd(fault));
    return {
      failed: running.failed,
      stop: async () => {
        if (this.isCurrent(life)) this.coordinator = null;
        await running.stop();
        if (this.isCurrent(life)) this.life++;
      },
    };
  }

  /** The batch is on the disk. */
  wrote(batch: WriteBatch): void {
    this.committed.state = this.inFlight.get(batch);
    this.options.onWritten(batch);
  }

  /** Kills the coordinator, at any step. */
  crash(): void {
    this.life++;
    this.coordinator = null;
    this.standstill.end();
    this.skewMs += this.setMs;
    this.setMs = 0;
  }

  /** Stops the process for a while, like SIGSTOP or a suspended machine. */
  stall(ms: number): void {
    if (this.coordinator === null || this.standstill.isOn) return;
    this.options.log(`coordinator: stands still for ${(ms / 1000).toFixed(1)} s`);
    const { prng, onStall } = this.options;
    const first = prng.chance(0.7) ? 'timers' : 'messages';
    onStall(this.standstill.begin(ms, first, prng.spread(0.1, 50)));
  }

  get standsStill(): boolean {
    return this.standstill.isOn;
  }

  /** Sets the clock of the machine. */
  setClock(byMs: number): void {
    if (this.coordinator === null) return;
    this.options.log(`coordinator: its clock is set by ${(byMs / 3_600_000).toFixed(1)} h`);
    this.setMs += byMs;
  }

  /** Calls as soon as the process reads messages. */
  whenReading(fn: () => void): void {
    const { life } = this;
    this.standstill.read(() => this.isCurrent(life) && fn());
  }

  /** Resolves after the time, when the process reads messages; never when it has died meanwhile. */
  pause(ms: number): Promise<void> {
    const { life } = this;
    return new Promise((resolve) => {
      this.options.clock.after(ms, () => {
        if (this.isCurrent(life)) this.whenReading(resolve);
      });
    });
  }

  openSession(sink: Sink, bearer: Bearer | null): WorkerSession | null {
    return this.open(sink, bearer, false);
  }

  /** The connection is at another host. */
  openElsewhere(sink: Sink, bearer: Bearer | null): HostSession | null {
    return this.open(sink, bearer, true);
  }

  private open(sink: Sink, bearer: Bearer | null, isElsewhere: boolean): HostSession | null {
    const { life, coordinator } = this;
    if (coordinator === null) return null;
    const own: SessionSink = {
      send: (frame) => {
        if (!this.isCurrent(life)) return;
        const messages = messagesOf(frame) as SentMessage[];
        this.options.onFrame(messages, bearer);
        this.options.onAnswered(session.id, messages);
        sink.send(frame);
      },
      close: (...why) => {
        if (!this.isCurrent(life)) return;
        const { workerId } = session;
        if (why[0] === failedAtFrame && workerId !== null) this.options.onUndecided(workerId);
        sink.close(...why);
      },
    };
    const { sessions } = coordinator;
    const session = isElsewhere ? sessions.openElsewhere(own, bearer) : sessions.open(own, bearer);
    let greetings = 0;
    return {
      connectionId: session.id,
      get workerId() {
        return session.workerId;
      },
      get hasWorked() {
        return session.hasWorked;
      },
      receive: (messages) => {
        if (!this.isCurrent(life)) return;
        // A second hello on one connection may come from another worker.
        if (messages.some(({ type }) => type === 'hello')) greetings++;
        else if (session.isOpen && greetings === 1) this.arrive(session.workerId);
        this.whenReading(() => {
          this.overhear(session, messages);
          session.receive(messages);
        });
      },
      closed: (isCut) => {
        if (this.isCurrent(life)) this.whenReading(() => session.closed(isCut));
      },
      unreadable: (ref, problem) => {
        if (this.isCurrent(life)) this.whenReading(() => session.unreadable(ref, problem));
      },
    };
  }

  /** The time by the machine's clock. */
  get now(): number {
    return this.options.clock.now + this.skewMs;
  }

  /** Calls the coordinator that is up; rejects when it dies before it has answered. */
  async ask<T>(question: (coordinator: RunningCoordinator) => Promise<T>): Promise<T> {
    const { life, coordinator } = this;
    if (coordinator === null) throw new Error('The coordinator is down.');
    if (this.standstill.isOn) await new Promise<void>((resolve) => this.whenReading(resolve));
    const answer = await question(coordinator);
    if (!this.isCurrent(life)) throw new Error('The coordinator died.');
    return answer;
  }

  /** Reports that a message arrived; not after a short standstill, when a timer may overtake it. */
  arrive(workerId: string | null): void {
    const isLong = this.standstill.lengthMs > times.leaseMs / 2;
    if (workerId === null || (this.standstill.isOn && !isLong)) return;
    this.options.onArrived(workerId);
  }

  private load(
    life: number,
    inner: Store,
    watch: Pick<CommitWatch, 'written' | 'refusedWrite'>,
  ): Promise<RunningCoordinator> {
    const { clock, prng, faults, keeping } = this.options;
    let running: RunningCoordinator | null = null;
    const answering = {
      after: (ms: number, fn: () => void) => clock.after(ms, () => this.standstill.run(fn)),
    };
    const store = createFaultyStore(inner, answering, prng, faults, {
      ...watch,
      isOver: () => !this.isCurrent(life),
      before: (batch) => {
        if (running === null) return;
        this.inFlight.set(batch, durableView(running.state));
        if (this.isCurrent(life)) this.options.onWriting(batch);
      },
      refusedRead: (what) => this.options.onUnreadable(what),
    });
    const made = createCoordinator({
      store,
      runtime: this.runtime(life),
      settings: { ...times, ...settingsOf(keeping) },
      batchLimit: this.options.batchLimit,
      ...this.telling(life),
      onEvents: (events) => {
        if (!this.isCurrent(life)) return;
        this.options.onEvents(events);
        if (running !== null) this.options.onSettled(running);
      },
      // A failed read may cost a request or an attempt; any other error is a bug.
      onError: (error) => {
        if (!isDiskFault(error)) this.options.onBug(error);
      },
      // A coordinator that was killed may still compute here; its state does not count.
      check: (state) => {
        if (this.isCurrent(life)) this.options.check(state);
      },
    });
    return made.then((coordinator) => {
      running = coordinator;
      return coordinator;
    });
  }

  private restored({ state }: RunningCoordinator): void {
    this.compare(state);
    this.options.onRestored(state);
  }

  private configure({ scheduler }: RunningCoordinator): void {
    const { algorithm } = this.options;
    scheduler.configure({ algorithm }).catch(() => undefined);
  }

  private judgeEnd(fault: Error): void {
    const code = fault instanceof StoreFault ? fault.code : fault.name;
    if (endsOfTerms.has(code) || fault.name === 'CoordinatorStopped') return;
    this.options.onBug(fault);
  }

  /** A process that has died hears of no answer. */
  private telling(life: number): Pick<CoordinatorOptions, 'deliver'> {
    const { onTold } = this.options;
    if (onTold === undefined) return {};
    return {
      deliver: async (delivery) => {
        if (!this.isCurrent(life)) return new Promise(() => undefined);
        const { afterMs, ...outcome } = onTold(delivery);
        await this.pause(afterMs);
        return outcome;
      },
    };
  }

  private overhear(session: Session, messages: readonly WorkerMessage[]): void {
    if (!session.isOpen) return;
    const { workerId } = session;
    for (const message of messages) {
      if (message.type === 'hello') this.options.onHello(session.id, message);
      if (isPresence(message)) this.options.onSaid(session.id, workerId, message);
      if (message.type === 'release' && workerId !== null) {
        this.options.onRelease(workerId, message);
      }
    }
    if (workerId !== null) this.options.onHeard(workerId);
  }

  private isCurrent(life: number): boolean {
    return life === this.life;
  }

  /** Invariant: the loaded state equals the committed one, but for its volatile part. */
  private compare(state: State): void {
    const { shared } = this.options;
    if (this.committed.state === null || shared?.isInForce() === false) return;
    const [found, committed] = [durableView(state), this.committed.state].map((view) =>
      JSON.stringify(view),
    );
    if (found === committed) return;
    const what = 'After a crash the state differs.';
    this.options.onBug(new Error(`${what}\ncommitted ${committed}\nloaded    ${found}`));
  }

  private fell(life: number, fault: Error, isFull: boolean): void {
    if (!this.isCurrent(life)) return;
    // A refused batch ends the process, as it must; any other fault is a bug.
    if (!isFull) this.options.onBug(fault);
    this.options.log(`coordinator: stopped: ${fault.message}`);
    this.crash();
  }

  private runtime(life: number): Runtime {
    const { clock, prng } = this.options;
    const ifAlive = (fn: () => void) => () => {
      this.standstill.run(() => {
        if (this.isCurrent(life)) fn();
      });
    };
    return {
      now: () => Math.floor(this.now),
      followClock: () => {
        const byMs = this.setMs;
        this.setMs = 0;
        this.skewMs += byMs;
        return byMs;
      },
      microseconds: () => 0,
      defer: (fn) => void clock.after(0, ifAlive(fn)),
      setTimer: (at, fn) => {
        let isCancelled = false;
        const cancel = clock.at(
          at - this.skewMs,
          ifAlive(() => {
            if (!isCancelled) fn();
          }),
        );
        return () => {
          isCancelled = true;
          cancel();
        };
      },
      newId: this.options.shared?.newId ?? (() => idOf(++this.ids)),
      newToken: () => prng.hex(32),
      chance: () => prng.next(),
      hash: sha256,
    };
  }
}

export function idOf(number: number): string {
  return `id${String(number).padStart(6, '0')}`;
}

function settingsOf({ keepMs, keepJobs, keepAwayMs }: Keeping): Partial<CoreSettings> {
  return { keepMs, keepJobs, keepAwayMs };
}
