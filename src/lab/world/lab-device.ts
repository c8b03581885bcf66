// A device of the lab: the production worker machine, with a processor, a battery and a way to the coordinator
// that are made up. It comes and goes as its plan says.

import type { WorkerSession } from '../../coordinator/port/workers.ts';
import { decodeFrame } from '../../protocol/codec.ts';
import type { CoordinatorMessage, Telemetry, WorkerMessage } from '../../protocol/messages.ts';
import type { Clock } from '../../simulator/clock.ts';
import {
  type MachineInput,
  type MachineOutput,
  type MachineTimer,
  WorkerMachine,
  type WorkerIdentity,
} from '../../worker/machine/machine.ts';
import type { Stream } from '../chance/stream.ts';
import { type DevicePlan, sizeOf } from '../scenario/plan.ts';
import { Battery } from './battery.ts';
import { LabExecutor } from './lab-executor.ts';
import { Link } from './link.ts';
import { Meter } from './meter.ts';
import { Processor } from './processor.ts';
import type { Works } from './works.ts';

export interface DeviceSurroundings {
  readonly clock: Clock;
  readonly works: Works;
  /** For jitter of the machine, and for failures. */
  readonly chance: Stream;
  readonly openSession: (sink: { send(frame: string): void; close(): void }) => WorkerSession;
  readonly onName: (workerId: string) => void;
}

/** One stay of the device: from its start to its end. */
interface Stay {
  readonly machine: WorkerMachine;
  readonly executor: LabExecutor;
  readonly timers: Map<MachineTimer, () => void>;
  link: Link | null;
  session: WorkerSession | null;
}

export class LabDevice {
  readonly plan: DevicePlan;
  readonly meter: Meter;
  readonly #around: DeviceSurroundings;
  readonly #processor: Processor;
  readonly #battery: Battery | null;
  #identity: WorkerIdentity | null = null;
  #stay: Stay | null = null;
  #starts = 0;

  constructor(plan: DevicePlan, around: DeviceSurroundings) {
    const { clock } = around;
    this.plan = plan;
    this.#around = around;
    this.meter = new Meter(clock, plan.power);
    this.#processor = new Processor(clock, plan);
    this.#battery =
      plan.battery === null ? null : new Battery(clock, plan.battery, () => this.#onLevel());
    const load = plan.load();
    const presence = plan.presence();
    clock.after(plan.joinsAtMs, () => this.#follow(presence));
    this.#burden(load);
  }

  /** Null before it has registered. */
  get workerId(): string | null {
    return this.#identity?.workerId ?? null;
  }

  get isHere(): boolean {
    return this.#stay !== null;
  }

  #burden(spans: ReturnType<DevicePlan['load']>): void {
    const span = spans.next();
    if (span.done === true) return;
    this.#processor.setOthers(span.value.percent);
    if (span.value.forMs === Infinity) return;
    this.#around.clock.after(span.value.forMs, () => this.#burden(spans));
  }

  #follow(spans: ReturnType<DevicePlan['presence']>): void {
    const span = spans.next();
    if (span.done === true) return;
    const { isHere, forMs, goes } = span.value;
    if (isHere) this.#start();
    if (forMs === Infinity) return;
    this.#around.clock.after(forMs, () => {
      if (isHere) this.#go(goes);
      this.#follow(spans);
    });
  }

  #start(): void {
    if (this.#stay !== null || this.#battery?.isEmpty === true) return;
    const { clock, works, chance } = this.#around;
    const { plan } = this;
    this.#starts += 1;
    const stay: Stay = {
      machine: new WorkerMachine({
        device: {
          name: plan.name,
          type: plan.type,
          platform: plan.platform,
          labels: plan.labels,
        },
        slots: plan.slots,
        identity: this.#identity,
        instance: `${plan.name}, start ${this.#starts}`,
        random: () => chance.next(),
        telemetry: () => this.#measure(),
        wattsPerCore: plan.power.busyWatts,
      }),
      executor: new LabExecutor({
        clock,
        processor: this.#processor,
        works,
        slots: plan.slots,
        startMs: plan.startMs,
        fails: plan.fails,
        chance,
        onEvent: (event) => this.#feed(stay, { type: 'executor', event }),
        onBusy: () => this.#countBusy(),
      }),
      timers: new Map(),
      link: null,
      session: null,
    };
    this.#stay = stay;
    this.#countBusy();
    this.#feed(stay, { type: 'start' });
    this.#onLevel();
  }

  #go(how: 'cut' | 'leaves'): void {
    const stay = this.#stay;
    if (stay === null) return;
    if (how === 'leaves') this.#feed(stay, { type: 'leave' });
    else this.#end(stay);
  }

  /** Nobody is told: the coordinator finds out by its silence. */
  #end(stay: Stay): void {
    if (this.#stay !== stay) return;
    this.#stay = null;
    stay.link?.cut();
    void stay.executor.close();
    this.#processor.stop();
    for (const cancel of stay.timers.values()) cancel();
    this.#countBusy();
  }

  #countBusy(): void {
    const { busy } = this.#processor;
    this.meter.set(this.#stay !== null, busy);
    this.#battery?.setBusy(busy);
  }

  #onLevel(): void {
    const battery = this.#battery;
    const stay = this.#stay;
    if (battery === null || stay === null) return;
    if (battery.isEmpty) this.#end(stay);
    else if (battery.isLow) {
      this.#feed(stay, { type: 'rest', rest: { because: 'battery', keeps: true } });
    }
  }

  #measure(): Telemetry {
    const { says, ramMb, bandwidthMbps, cores } = this.plan;
    const battery = this.#battery;
    return {
      cpu_cores: cores,
      ...(says.cpu ? { cpu_load_percent: rounded(this.#processor.loadPercent) } : {}),
      ...(says.memory ? { ram_available_mb: Math.round(ramMb) } : {}),
      ...(says.bandwidth && bandwidthMbps !== null
        ? { network_bandwidth_mbps: rounded(bandwidthMbps) }
        : {}),
      ...(says.battery && battery !== null
        ? {
            battery_level_percent: rounded(battery.levelPercent),
            battery_charging: battery.isCharging,
          }
        : {}),
    };
  }

  #feed(stay: Stay, input: MachineInput): void {
    if (this.#stay !== stay) return;
    const outputs = stay.machine.step(input, this.#around.clock.now);
    for (const output of outputs) this.#perform(stay, output);
  }

  #perform(stay: Stay, output: MachineOutput): void {
    switch (output.type) {
      case 'connect':
        return this.#connect(stay);
      case 'disconnect':
        return this.#hangUp(stay);
      case 'send':
        return this.#send(stay, output.messages);
      case 'run':
        return stay.executor.run(output.slot, output.program, output.tasks);
      case 'stop':
        return stay.executor.stop(output.slot, output.key, output.reason);
      case 'checkpoint':
        return stay.executor.checkpoint(output.slot, output.key);
      case 'set_timer':
        return this.#setTimer(stay, output.timer, output.afterMs);
      case 'clear_timer':
        stay.timers.get(output.timer)?.();
        stay.timers.delete(output.timer);
        return;
      case 'save_identity':
        this.#identity = { workerId: output.workerId, workerToken: output.workerToken };
        return this.#around.onName(output.workerId);
      case 'forget_identity':
        this.#identity = null;
        return;
      case 'exit':
        this.#hangUp(stay);
        return this.#end(stay);
      case 'forget_program':
      case 'keep':
      case 'let_go':
      case 'log':
        return;
    }
  }

  #setTimer(stay: Stay, timer: MachineTimer, afterMs: number): void {
    stay.timers.get(timer)?.();
    const fire = () => {
      stay.timers.delete(timer);
      this.#feed(stay, { type: 'timer', timer });
    };
    stay.timers.set(timer, this.#around.clock.after(afterMs, fire));
  }

  #connect(stay: Stay): void {
    const link = new Link(this.#around.clock, this.plan);
    stay.link = link;
    // A socket is open after one round trip.
    link.carry('up', 0, () => {
      stay.session = this.#around.openSession({
        send: (frame) => this.#receive(stay, link, frame),
        close: () =>
          link.carry('down', 0, () => {
            if (stay.link !== link) return;
            stay.link = null;
            this.#feed(stay, { type: 'socket_closed' });
          }),
      });
      link.carry('down', 0, () => this.#feed(stay, { type: 'socket_opened' }));
    });
  }

  #hangUp(stay: Stay): void {
    const { link, session } = stay;
    stay.link = null;
    link?.carry('up', 0, () => {
      link.cut();
      session?.closed();
    });
  }

  #receive(stay: Stay, link: Link, text: string): void {
    const frame = decodeFrame(text);
    if (!frame.ok) throw new Error(`A frame of our own does not decode: ${frame.detail}`);
    const messages = frame.messages as readonly CoordinatorMessage[];
    link.carry('down', this.#payloadTo(messages), () => {
      if (stay.link === link) this.#feed(stay, { type: 'frame', messages });
    });
  }

  #send(stay: Stay, messages: readonly WorkerMessage[]): void {
    const { session } = stay;
    stay.link?.carry('up', this.#payloadFrom(stay, messages), () => session?.receive(messages));
  }

  #payloadTo(messages: readonly CoordinatorMessage[]): number {
    let bytes = 0;
    for (const message of messages) {
      if (message.type !== 'assign') continue;
      for (const { job_id, index, checkpoint } of message.assignments) {
        const job = this.#around.works.job(job_id);
        bytes += sizeOf(job.inputBytes, index);
        if (checkpoint !== undefined) bytes += job.checkpoints?.bytes ?? 0;
      }
    }
    return bytes;
  }

  #payloadFrom(stay: Stay, messages: readonly WorkerMessage[]): number {
    let bytes = 0;
    const { works } = this.#around;
    for (const message of messages) {
      if (message.type === 'result') {
        for (const { task_id } of message.results) {
          const { job, index } = works.task(task_id);
          bytes += sizeOf(job.resultBytes, index);
        }
      }
      if (message.type === 'checkpoint') {
        for (const { task_id } of message.checkpoints) {
          bytes += works.task(task_id).job.checkpoints?.bytes ?? 0;
        }
      }
    }
    return bytes;
  }
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}
