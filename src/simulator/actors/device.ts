// A simulated device: the production worker machine on virtual sockets, timers and task code. Only its
// identity survives a crash, as on the disk of a real device. It may fall asleep with its connection
// open, as phones do: nothing is sent or read then.

import type { Bearer } from '../../coordinator/port/tokens.ts';
import type { WorkerSession } from '../../coordinator/port/workers.ts';
import { encodeFrame } from '../../protocol/codec.ts';
import type {
  AttemptRef,
  CoordinatorMessage,
  DeviceDescription,
  HeartbeatMessage,
  HelloMessage,
  WorkerMessage,
} from '../../protocol/messages.ts';
import {
  type MachineInput,
  type MachineOutput,
  type MachineTimer,
  type RestOrder,
  type WorkerIdentity,
  WorkerMachine,
} from '../../worker/machine/machine.ts';
import { BrokenPromise } from '../broken-promise.ts';
import type { Clock } from '../clock.ts';
import type { Door } from '../door.ts';
import { DeviceClock } from './device-clock.ts';
import { Pass } from './pass.ts';
import type { Page } from './page.ts';
import type { Faults } from '../faults.ts';
import { Connection, messagesOf } from '../network.ts';
import type { Prng } from '../prng.ts';
import type { ProgramChecker } from '../checkers/program-checker.ts';
import { isPresence } from './presence.ts';
import { type Nature, SimExecutor } from './sim-executor.ts';

export type Lease = Pick<DeviceDescription, 'lease_seconds'>;

/** Draws the heartbeat interval and lease that a device asks for: some can send only seldom. */
export function drawLease(prng: Prng): Lease {
  return prng.chance(0.25) ? { lease_seconds: prng.integer(20, 180) } : {};
}

export interface DeviceWorld {
  readonly clock: Clock;
  readonly prng: Prng;
  readonly faults: () => Faults;
  /** Opens a session at the coordinator, null while it is down. */
  readonly openSession: (
    sink: { send(frame: string): void; close(): void },
    bearer: Bearer | null,
  ) => WorkerSession | null;
  readonly door: Door;
  readonly programs: ProgramChecker;
  readonly log: (line: string) => void;
}

export class Device {
  readonly name: string;
  /** Null before the first registration; survives crashes. */
  identity: WorkerIdentity | null = null;
  connection: Connection | null = null;
  readonly pass: Pass;
  /** At most so many are in use. */
  readonly slots: number;
  /** What outlives it, when it is a page in a browser. */
  page: Page | null = null;
  private readonly world: DeviceWorld;
  private readonly nature: Nature;
  private slotsInUse: number;
  private readonly labels: Readonly<Record<string, string>>;
  private readonly skewMs: number;
  private readonly lease: Lease;
  /** Why it rests now; null: it works. */
  private resting: RestOrder | null = null;
  private life: Life | null = null;

  constructor(name: string, room: string, nature: Nature, world: DeviceWorld) {
    this.name = name;
    this.nature = nature;
    this.world = world;
    this.pass = new Pass(world.door);
    this.slots = world.prng.integer(1, 3);
    this.slotsInUse = this.slots;
    this.labels = { room };
    this.lease = drawLease(world.prng);
    this.skewMs = world.prng.chance(0.3) ? world.prng.integer(-86_400_000, 86_400_000) : 0;
  }

  get isAlive(): boolean {
    return this.life !== null;
  }

  /** Welcome at the coordinator. */
  get isConnected(): boolean {
    return this.life?.isConnected === true;
  }

  get isOut(): boolean {
    return this.pass.isOut;
  }

  takeLink(link: string): void {
    this.pass.take(link);
    this.start();
  }

  start(): void {
    if (this.life !== null || this.pass.isOut) return;
    this.life = new Life(this, this.world, {
      slots: this.slots,
      slotsInUse: this.slotsInUse,
      nature: this.nature,
      about: { labels: this.labels, ...this.lease },
      skewMs: this.skewMs,
    });
    this.life.rest(this.resting);
    this.life.feed({ type: 'start' });
  }

  /** Cuts the power: everything in memory is gone. */
  crash(): void {
    const { life } = this;
    if (life === null) return;
    this.life = null;
    life.end();
    this.page?.crash();
    this.connection?.die('device');
    this.connection = null;
  }

  /** A page is closed properly: it keeps what it held in mind, to give it back. It may have time to say bye. */
  close(saysBye: boolean): void {
    const { life, page } = this;
    if (life === null || page === null) return;
    this.life = null;
    const held = life.close(saysBye);
    page.close(held);
    this.connection?.die('device');
    this.connection = null;
  }

  /** Begins a rest, or ends it (null). It knows as soon as it is awake. */
  rest(rest: RestOrder | null): void {
    this.resting = rest;
    const { life } = this;
    life?.clock.whenAwake(() => life.rest(this.resting));
  }

  /** So many from now on. */
  useSlots(count: number): void {
    this.slotsInUse = count;
    const { life } = this;
    life?.clock.whenAwake(() => life.useSlots(this.slotsInUse));
  }

  sleep(): void {
    this.life?.clock.sleep();
  }

  wake(): void {
    this.life?.clock.wake();
  }

  /** The machine left by itself (drained, deregistered). */
  ended(life: Life): void {
    if (this.life !== life) return;
    this.life = null;
    this.pass.refused();
  }
}

/** A device as it is when it begins. */
interface Build {
  readonly slots: number;
  readonly slotsInUse: number;
  readonly nature: Nature;
  readonly about: Pick<DeviceDescription, 'labels' | 'lease_seconds'>;
  readonly skewMs: number;
}

/** By then nothing runs on a device that rests and keeps nothing. */
const givesBackMs = 100;

/** Small, so that programs are forgotten and sent again. */
const smallShelf = { programs: 2, characters: 1000 };

/** One life of the agent, from its start to its crash. */
class Life {
  readonly clock: DeviceClock;
  private readonly device: Device;
  private readonly world: DeviceWorld;
  private readonly executor: SimExecutor;
  private readonly machine: WorkerMachine;
  private readonly timers = new Map<MachineTimer, () => void>();
  private resting: RestOrder | null = null;
  private slotsInUse: number;
  private isOver = false;
  /** The newest knock at the door counts. */
  private knocks = 0;

  constructor(device: Device, world: DeviceWorld, build: Build) {
    const { slots, slotsInUse, nature, about, skewMs } = build;
    this.device = device;
    this.world = world;
    const { prng } = world;
    this.clock = new DeviceClock(world.clock, skewMs);
    this.executor = new SimExecutor(this.clock, slots, nature, (event) =>
      this.feed({ type: 'executor', event }),
    );
    this.slotsInUse = slotsInUse;
    const { page } = device;
    this.machine = new WorkerMachine({
      device: { name: device.name, type: 'pc', platform: 'linux', ...about },
      slots: slotsInUse,
      keepsReports: page !== null,
      ...page?.open(device.identity?.workerId ?? null),
      identity: device.identity,
      random: () => prng.next(),
      telemetry: () => ({ cpu_load_percent: Math.round(prng.next() * 100) }),
      tuning: { shelf: smallShelf },
    });
  }

  feed(input: MachineInput): void {
    if (this.isOver) return;
    for (const output of this.machine.step(input, this.clock.now)) this.perform(output);
  }

  get isConnected(): boolean {
    return this.machine.connectionState === 'ready';
  }

  rest(rest: RestOrder | null): void {
    this.resting = rest;
    this.feed({ type: 'rest', rest });
    if (rest?.keeps !== false) return;
    this.clock.after(givesBackMs, () => {
      if (this.isOver || this.resting !== rest || this.executor.isIdle) return;
      throw new BrokenPromise(`${this.device.name} rests, and goes on with what it should give back.`);
    });
  }

  useSlots(slots: number): void {
    this.slotsInUse = slots;
    this.feed({ type: 'slots', slots });
  }

  /** Returns what it held without a report. */
  close(saysBye: boolean): readonly AttemptRef[] {
    const held = this.machine.workload.unreported();
    // To leave, to wait for nothing, and to take no time.
    for (let i = 0; saysBye && i < 3; i++) this.feed({ type: 'leave' });
    this.end();
    return held;
  }

  end(): void {
    this.isOver = true;
    void this.executor.close();
    for (const cancel of this.timers.values()) cancel();
  }

  private perform(output: MachineOutput): void {
    const { clock } = this;
    const { log } = this.world;
    switch (output.type) {
      case 'connect':
        return this.connect();
      case 'disconnect':
        this.knocks++;
        this.device.connection?.close('device');
        this.device.connection = null;
        return;
      case 'send':
        return this.send(output.messages);
      case 'run':
        this.world.programs.ran(output.program.jobId, output.program.source);
        this.checkRun(output.slot);
        this.device.page?.checker.ran(output.tasks);
        return this.executor.run(output.slot, output.program, output.tasks);
      case 'stop':
        return this.executor.stop(output.slot, output.key, output.reason);
      case 'checkpoint':
        return this.executor.checkpoint();
      case 'forget_program':
        return;
      case 'keep':
        return this.device.page?.keep(output.reports, this.machine.workerId);
      case 'let_go':
        return this.device.page?.letGo(output.keys);
      case 'set_timer': {
        const { timer } = output;
        this.timers.get(timer)?.();
        const fire = () => {
          this.timers.delete(timer);
          this.feed({ type: 'timer', timer });
        };
        this.timers.set(timer, clock.after(output.afterMs, fire));
        return;
      }
      case 'clear_timer':
        this.timers.get(output.timer)?.();
        this.timers.delete(output.timer);
        return;
      case 'save_identity':
        this.device.identity = { workerId: output.workerId, workerToken: output.workerToken };
        this.device.pass.receive(output.workerToken);
        return;
      case 'forget_identity':
        this.device.identity = null;
        return;
      case 'log':
        return log(`${this.device.name}: ${output.event}: ${output.detail}`);
      case 'exit':
        log(`${this.device.name}: exit ${output.code}: ${output.reason}`);
        this.end();
        return this.device.ended(this);
    }
  }

  private send(messages: readonly WorkerMessage[]): void {
    const { connection, name, page } = this.device;
    page?.checker.said(messages);
    connection?.send('coordinator', encodeFrame(messages));
    for (const message of messages) {
      if (isPresence(message)) this.checkSaid(message);
      for (const { lacks } of message.type === 'release' ? message.releases : []) {
        if (lacks === undefined) continue;
        this.world.programs.lacked(name, lacks, connection?.isWhole ?? false);
      }
    }
  }

  private checkRun(slot: number): void {
    const { name } = this.device;
    if (this.resting !== null) throw new BrokenPromise(`${name} rests, and begins something.`);
    if (slot < this.slotsInUse) return;
    throw new BrokenPromise(`${name} uses ${this.slotsInUse} slots, and begins something in another.`);
  }

  private checkSaid({ type, rest }: HelloMessage | HeartbeatMessage): void {
    const { name } = this.device;
    const because = this.resting?.because;
    if (rest?.because === because) return;
    throw new BrokenPromise(`${name} rests (${because}), and says ${rest?.because} in its ${type}.`);
  }

  private connect(): void {
    const { prng, door } = this.world;
    this.clock.after(prng.spread(0.1, 20), () => {
      if (this.isOver) return;
      const { pass, identity } = this.device;
      const shown = pass.shown(identity?.workerToken ?? null);
      const knock = ++this.knocks;
      const ifNewest = (act: () => void) => {
        if (!door.isGuarded) return act();
        this.clock.whenAwake(() => !this.isOver && knock === this.knocks && act());
      };
      door.knock(
        shown,
        (bearer) => ifNewest(() => this.open(bearer)),
        (why) => ifNewest(() => this.refused(why, shown)),
      );
    });
  }

  private refused(why: 'unauthorized' | 'closed', shown: string | null): void {
    const detail = why;
    if (why === 'closed' || this.device.pass.mayTryAgain(shown)) {
      return this.feed({ type: 'socket_closed', detail });
    }
    this.device.page?.checker.loseIdentity();
    this.feed({ type: 'socket_refused', status: 401, code: why, detail });
  }

  private open(bearer: Bearer | null): void {
    const { clock, prng, faults, openSession } = this.world;
    let session: WorkerSession | null = null;
    const connection = new Connection(clock, prng, faults, {
      device: {
        frame: (text) => this.clock.whenAwake(() => this.receive(connection, text)),
        closed: () => this.clock.whenAwake(() => this.hear(connection, { type: 'socket_closed' })),
      },
      coordinator: {
        frame: (text) => session?.receive(messagesOf(text) as WorkerMessage[]),
        closed: () => session?.closed(),
      },
    });
    session = openSession(
      {
        send: (frame) => connection.send('device', frame),
        close: () => connection.close('coordinator'),
      },
      bearer,
    );
    this.device.connection = connection;
    if (session === null) {
      this.hear(connection, { type: 'socket_closed', detail: 'refused' });
      return;
    }
    this.feed({ type: 'socket_opened' });
  }

  private receive(connection: Connection, text: string): void {
    if (this.device.connection !== connection) return;
    const messages = messagesOf(text) as CoordinatorMessage[];
    this.device.page?.checker.heard(messages);
    this.feed({ type: 'frame', messages });
  }

  private hear(connection: Connection, input: MachineInput): void {
    if (this.device.connection !== connection) return;
    this.device.connection = null;
    this.feed(input);
  }
}
