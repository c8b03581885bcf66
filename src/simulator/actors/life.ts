// One life of a simulated device, from its start to its crash: the production worker machine, with what it asks for
// performed in virtual time.

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
  WorkerMachine,
} from '../../worker/machine/machine.ts';
import { BrokenPromise } from '../broken-promise.ts';
import { Connection, messagesOf } from '../network.ts';
import { DeviceClock } from './device-clock.ts';
import type { DeviceWorld, LivingDevice } from './device-world.ts';
import { isPresence } from './presence.ts';
import { type Nature, SimExecutor } from './sim-executor.ts';

/** A device as it is when it begins. */
export interface Build {
  readonly instance: string;
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
export class Life {
  readonly clock: DeviceClock;
  private readonly device: LivingDevice;
  private readonly world: DeviceWorld;
  private readonly executor: SimExecutor;
  private readonly machine: WorkerMachine;
  private readonly timers = new Map<MachineTimer, () => void>();
  private resting: RestOrder | null = null;
  private slotsInUse: number;
  private isOver = false;
  /** The newest knock at the door counts. */
  private knocks = 0;

  constructor(device: LivingDevice, world: DeviceWorld, build: Build) {
    const { instance, slots, slotsInUse, nature, about, skewMs } = build;
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
      instance,
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
      throw new BrokenPromise(
        `${this.device.name} rests, and goes on with what it should give back.`,
      );
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
    const leaves = saysBye ? 3 : 0;
    for (let i = 0; i < leaves; i++) this.feed({ type: 'leave' });
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
    throw new BrokenPromise(
      `${name} uses ${this.slotsInUse} slots, and begins something in another.`,
    );
  }

  private checkSaid({ type, rest }: HelloMessage | HeartbeatMessage): void {
    const { name } = this.device;
    const because = this.resting?.because;
    if (rest?.because === because) return;
    throw new BrokenPromise(
      `${name} rests (${because}), and says ${rest?.because} in its ${type}.`,
    );
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
