// The machine that the coordinator runs on: starts it on the disk that is left, and kills it at any
// step. A killed coordinator's timers and answers go nowhere.

import { createCoordinator, type RunningCoordinator } from '../coordinator/coordinator.ts';
import { durableView } from '../coordinator/writer/durable-view.ts';
import type { WorkerSession } from '../coordinator/port/workers.ts';
import type { Runtime } from '../coordinator/runtime.ts';
import type { Session } from '../coordinator/workers/sessions.ts';
import type { ToldEvent } from '../core/told-events.ts';
import type { AlgorithmId } from '../core/snapshot.ts';
import type { State } from '../core/state.ts';
import type { CoordinatorMessage, HelloMessage, WorkerMessage } from '../protocol/messages.ts';
import { createMemoryDisk } from '../store/memory/memory-disk.ts';
import { createMemoryStore } from '../store/memory/memory-store.ts';
import type { WriteBatch } from '../store/rows.ts';
import type { Clock } from './clock.ts';
import { isDiskFault } from './disk-fault.ts';
import type { Faults } from './faults.ts';
import { createFaultyStore } from './faulty-store.ts';
import { messagesOf } from './network.ts';
import type { Prng } from './prng.ts';
import { Standstill } from './standstill.ts';
import { times } from './times.ts';

const dayMs = 86_400_000;

export interface HostOptions {
  readonly clock: Clock;
  readonly prng: Prng;
  readonly faults: () => Faults;
  readonly algorithm: AlgorithmId;
  readonly onEvents: (events: readonly ToldEvent[]) => void;
  readonly check: (state: State) => void;
  readonly onBug: (error: Error) => void;
  readonly onRestored: (state: State) => void;
  /** A batch is on its way to the disk. */
  readonly onWriting: (batch: WriteBatch) => void;
  readonly onWritten: (batch: WriteBatch) => void;
  readonly onUnreadable: (what: 'payload' | 'row') => void;
  /** A batch is committed, and memory has forgotten what is over. */
  readonly onSettled: (coordinator: RunningCoordinator) => void;
  /** A frame leaves for a worker. */
  readonly onFrame: (messages: readonly CoordinatorMessage[]) => void;
  readonly onHello: (connectionId: number, message: HelloMessage) => void;
  /** A message reached the machine; the process may not have read it yet. */
  readonly onArrived: (workerId: string) => void;
  readonly onHeard: (workerId: string) => void;
  /** The process stands still, and listens again so much later. */
  readonly onStall: (ms: number) => void;
  /** Commands in one batch. */
  readonly batchLimit: number;
  readonly log: (line: string) => void;
}

export class Host {
  readonly disk = createMemoryDisk();
  coordinator: RunningCoordinator | null = null;
  private readonly options: HostOptions;
  /** Rises with every life; what belongs to an older one is dead. */
  private life = 0;
  /** What must be found after a crash: as of the newest write to the disk, null before the first. */
  private durable: unknown = null;
  private inFlight: unknown = null;
  private ids = 0;
  /** How wrong the clock of the machine is; it is set anew only while nothing runs. */
  skewMs = 0;
  /** Set while the process runs, and not noticed yet. */
  private setMs = 0;
  private readonly standstill: Standstill;

  constructor(options: HostOptions) {
    this.options = options;
    this.standstill = new Standstill(options.clock);
  }

  async start(): Promise<void> {
    if (this.coordinator !== null) return;
    const { clock, prng, faults, algorithm, log } = this.options;
    const life = ++this.life;
    if (prng.chance(faults().clockJumps)) {
      this.skewMs = prng.integer(-dayMs, dayMs);
      log(`coordinator: its clock is set wrong by ${(this.skewMs / 3_600_000).toFixed(1)} h`);
    }
    const inner = createMemoryStore(this.disk);
    let running: RunningCoordinator | null = null;
    let isFull = false;
    const answering = {
      after: (ms: number, fn: () => void) => clock.after(ms, () => this.standstill.run(fn)),
    };
    const store = createFaultyStore(inner, answering, prng, faults, {
      before: (batch) => {
        if (running === null) return;
        this.inFlight = durableView(running.state);
        this.options.onWriting(batch);
      },
      written: (batch) => {
        this.durable = this.inFlight;
        this.options.onWritten(batch);
      },
      refusedWrite: () => {
        isFull = true;
      },
      refusedRead: (what) => this.options.onUnreadable(what),
    });
    const isFirst = life === 1;
    running = await createCoordinator({
      store,
      runtime: this.runtime(life),
      settings: times,
      batchLimit: this.options.batchLimit,
      onEvents: (events) => {
        if (!this.isCurrent(life)) return;
        this.options.onEvents(events);
        if (running !== null) this.options.onSettled(running);
      },
      // A disk that refuses to read costs a request, or an attempt; anything else is a bug of ours.
      onError: (error) => {
        if (!isDiskFault(error)) this.options.onBug(error);
      },
      // What a machine that has lost its power still computes is nobody's state.
      check: (state) => {
        if (this.isCurrent(life)) this.options.check(state);
      },
    });
    if (!this.isCurrent(life)) return;
    log(`coordinator: life ${life}`);
    this.coordinator = running;
    this.compare(running.state);
    this.options.onRestored(running.state);
    void running.failed.then((fault) => this.fell(life, fault, isFull));
    // Not acknowledged when the coordinator dies first; the default does as well.
    if (isFirst) running.scheduler.configure({ algorithm }).catch(() => undefined);
  }

  /** Power off, at whatever step it is. */
  crash(): void {
    this.life++;
    this.coordinator = null;
    this.standstill.end();
    this.skewMs += this.setMs;
    this.setMs = 0;
  }

  /** Stopped and continued, or suspended with its machine: nothing of the process runs for so long. */
  stall(ms: number): void {
    if (this.coordinator === null || this.standstill.isOn) return;
    this.options.log(`coordinator: stands still for ${(ms / 1000).toFixed(1)} s`);
    this.options.onStall(this.standstill.begin(ms, this.options.prng.spread(0.1, 50)));
  }

  get standsStill(): boolean {
    return this.standstill.isOn;
  }

  /** Somebody sets the clock of the machine. */
  setClock(byMs: number): void {
    if (this.coordinator === null) return;
    this.options.log(`coordinator: its clock is set by ${(byMs / 3_600_000).toFixed(1)} h`);
    this.setMs += byMs;
  }

  /** As soon as the process reads what comes from outside. */
  whenReading(fn: () => void): void {
    const { life } = this;
    this.standstill.read(() => this.isCurrent(life) && fn());
  }

  /** Goes on so much later, when the process reads; never when it has died meanwhile. */
  pause(ms: number): Promise<void> {
    const { life } = this;
    return new Promise((resolve) => {
      this.options.clock.after(ms, () => {
        if (this.isCurrent(life)) this.whenReading(resolve);
      });
    });
  }

  openSession(sink: { send(frame: string): void; close(): void }): WorkerSession | null {
    const { life, coordinator } = this;
    if (coordinator === null) return null;
    const session = coordinator.sessions.open({
      send: (frame) => {
        if (!this.isCurrent(life)) return;
        this.options.onFrame(messagesOf(frame) as CoordinatorMessage[]);
        sink.send(frame);
      },
      close: () => this.isCurrent(life) && sink.close(),
    });
    let greetings = 0;
    return {
      get workerId() {
        return session.workerId;
      },
      get hasWorked() {
        return session.hasWorked;
      },
      receive: (messages) => {
        if (!this.isCurrent(life)) return;
        // A hello may speak for somebody else than the one before it on the same connection.
        if (messages.some(({ type }) => type === 'hello')) greetings++;
        else if (session.isOpen && greetings === 1) this.arrive(session.workerId);
        this.whenReading(() => {
          this.overhear(session, messages);
          session.receive(messages);
        });
      },
      closed: () => this.isCurrent(life) && this.whenReading(() => session.closed()),
    };
  }

  /** As the machine tells it. */
  get now(): number {
    return this.options.clock.now + this.skewMs;
  }

  /** Asks the coordinator that is up; rejects when it dies before it has answered. */
  async ask<T>(question: (coordinator: RunningCoordinator) => Promise<T>): Promise<T> {
    const { life, coordinator } = this;
    if (coordinator === null) throw new Error('The coordinator is down.');
    if (this.standstill.isOn) await new Promise<void>((resolve) => this.whenReading(resolve));
    const answer = await question(coordinator);
    if (!this.isCurrent(life)) throw new Error('The coordinator died.');
    return answer;
  }

  /** Who can count on being heard: after a short standstill a message may be overtaken by a timer. */
  arrive(workerId: string | null): void {
    const isLong = this.standstill.lengthMs > times.leaseMs / 2;
    if (workerId === null || (this.standstill.isOn && !isLong)) return;
    this.options.onArrived(workerId);
  }

  private overhear(session: Session, messages: readonly WorkerMessage[]): void {
    if (!session.isOpen) return;
    for (const message of messages) {
      if (message.type === 'hello') this.options.onHello(session.id, message);
    }
    if (session.workerId !== null) this.options.onHeard(session.workerId);
  }

  private isCurrent(life: number): boolean {
    return life === this.life;
  }

  /** The law: what is loaded equals what was committed, without the volatile part. */
  private compare(state: State): void {
    if (this.durable === null) return;
    const [found, committed] = [durableView(state), this.durable].map((view) =>
      JSON.stringify(view),
    );
    if (found === committed) return;
    const what = 'After a crash the state differs.';
    this.options.onBug(new Error(`${what}\ncommitted ${committed}\nloaded    ${found}`));
  }

  private fell(life: number, fault: Error, isFull: boolean): void {
    if (!this.isCurrent(life)) return;
    // A disk that takes no batch ends the process, as it should; anything else is a bug of ours.
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
      newId: () => `id${String(++this.ids).padStart(6, '0')}`,
      newToken: () => prng.hex(32),
      chance: () => prng.next(),
      hash: (text) => `hash of ${text}`,
    };
  }
}
