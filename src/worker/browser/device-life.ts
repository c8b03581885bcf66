// One life of the device as a worker: from the begin, or the return of a page that was put away, to its end. It puts
// the machine, the executor, the socket and what is kept together.

import type { AttemptRef } from '../../protocol/messages.ts';
import { Agent, type SocketListener, type WorkerEnd, type WorkerLogEntry } from '../agent.ts';
import type {
  AttemptKey,
  Executor,
  ExecutorEvent,
  ExecutorListener,
  ExecutorProgram,
  ExecutorTask,
} from '../executor.ts';
import { type KeptReport, type RestOrder, WorkerMachine } from '../machine/machine.ts';
import { Bandwidth } from '../payloads/bandwidth.ts';
import { largestBlobBytes } from '../payloads/blob-client.ts';
import { OffloadingExecutor, type OffloadingPorts } from '../payloads/offloading-executor.ts';
import type { PayloadStore } from '../payloads/payload-store.ts';
import { Losses } from '../slots/losses.ts';
import { BrowserTelemetry } from './browser-telemetry.ts';
import type { DeviceIdentity } from './device-identity.ts';
import { givingBack } from './give-back.ts';
import type { DeviceStorage } from './device-storage.ts';
import type {
  BeginOptions,
  FromAgent,
  LastRequest,
  OwnerRules,
  PageSigns,
  ToAgent,
} from './page-messages.ts';
import { nameOrNull } from './link-says.ts';
import { TaskViews } from './task-views.ts';
import { type TicketOffice, TicketSocket, type Wire } from './ticket-socket.ts';

export type FrameOrder = Extract<FromAgent, { readonly type: 'open_frame' | 'close_frame' }>;
export type FrameAnswer = Extract<ToAgent, { readonly type: 'frame_opened' | 'frame_failed' }>;

/** The executor of a browser: its children are frames, which the page makes. */
export interface DeviceExecutor extends Executor {
  setSlots(slots: number): void;
  heard(answer: FrameAnswer): void;
  notePacked(slot: number, key: AttemptKey, packMs: number): void;
}

export interface DeviceExecutorOptions {
  readonly slots: number;
  readonly listener: ExecutorListener;
  readonly tellPage: (order: FrameOrder) => void;
  readonly spares: 0 | 1;
  readonly resultLimitBytes: number;
  /** A connection that breaks counts too: the attempts that run may be given to others. */
  readonly losses: Losses;
  readonly onUnsaved: (key: AttemptKey, why: string) => void;
  /** No frame can be had, and why; null: there is one again. */
  readonly onFrameless: (why: string | null) => void;
}

export type ExecutorFactory = (options: DeviceExecutorOptions) => DeviceExecutor;

export interface LifePorts {
  readonly wire: Wire;
  readonly office: TicketOffice;
  readonly createExecutor: ExecutorFactory;
  readonly createPayloads: (
    token: () => string | null,
    onTransfer: (bytes: number, ms: number) => void,
  ) => PayloadStore;
  readonly random: () => number;
  readonly probeMs: () => number;
  readonly tellPage: (order: FrameOrder) => void;
  readonly log: (entry: WorkerLogEntry) => void;
  readonly heard: (event: ExecutorEvent) => void;
  readonly changed: () => void;
}

export interface LifeStart {
  readonly about: BeginOptions;
  readonly rules: () => OwnerRules;
  readonly signs: () => PageSigns;
  readonly identity: DeviceIdentity;
  readonly storage: DeviceStorage;
  readonly kept: readonly KeptReport[];
  readonly heldBefore: readonly AttemptRef[];
}

/** Time for a last checkpoint over a slow network. */
const giveUpMs = 4_000;

export class DeviceLife {
  readonly views = new TaskViews();
  readonly telemetry: BrowserTelemetry;
  readonly done: Promise<WorkerEnd>;
  hasBeenConnected = false;
  isWaiting = false;
  isLeaving = false;
  coordinatorName: string | null = null;
  #isResting = false;
  readonly #ports: LifePorts;
  readonly #start: LifeStart;
  readonly #agent: Agent;
  readonly #bandwidth = new Bandwidth();
  readonly #losses: Losses;
  readonly #kept: Set<AttemptKey>;
  // Both are made by the agent, when it is made.
  #machine!: WorkerMachine;
  #executor!: DeviceExecutor;

  constructor(start: LifeStart, ports: LifePorts) {
    this.#start = start;
    this.#ports = ports;
    this.#losses = new Losses(ports.wire.nowMs());
    this.#kept = new Set(start.kept.map(({ key }) => key));
    this.telemetry = new BrowserTelemetry({
      about: start.about,
      signs: start.signs,
      bandwidthMbps: () => this.#bandwidth.mbps,
      busy: () => ({ running: this.views.size, slots: start.rules().slots }),
      probeMs: ports.probeMs,
    });
    const { identity, storage } = start;
    this.#agent = new Agent({
      createExecutor: (listener) => this.#createExecutor(listener),
      createMachine: (executor) => (this.#machine = this.#createMachine(executor)),
      openSocket: (listener) =>
        identity.openSocket(
          this.#overhear(listener),
          (token, heard) => new TicketSocket(ports.wire, ports.office, token, heard),
        ),
      saveIdentity: (known) => {
        identity.change(known);
        storage.saveIdentity(known);
      },
      forgetIdentity: () => {
        identity.change(null);
        storage.saveIdentity(null);
      },
      keep: (reports) => {
        for (const { key } of reports) this.#kept.add(key);
        storage.keep(reports, identity.current?.workerId ?? null);
      },
      letGo: (keys) => {
        for (const key of keys) this.#kept.delete(key);
        storage.letGo(keys);
      },
      nowMs: ports.wire.nowMs,
      log: (entry) => {
        if (entry.event === 'connected') this.hasBeenConnected = true;
        ports.log(entry);
      },
      release: () => {},
    });
    this.done = this.#agent.done;
  }

  get workerId(): string | null {
    return this.#machine.workerId;
  }

  get isConnected(): boolean {
    return this.#machine.connectionState === 'ready';
  }

  get isDrained(): boolean {
    return this.#machine.isDraining;
  }

  /** Reports that are not acknowledged. */
  get kept(): number {
    return this.#kept.size;
  }

  rest(rest: RestOrder | null): void {
    if (rest !== null && !this.#isResting) this.views.restBegins();
    this.#isResting = rest !== null;
    this.#agent.rest(rest);
  }

  /** A slot must be there before it is given something, and be gone only after that. */
  setSlots(slots: number): void {
    const isMore = slots > this.#executor.slots;
    if (isMore) this.#executor.setSlots(slots);
    this.#agent.setSlots(slots);
    if (!isMore) this.#executor.setSlots(slots);
  }

  heard(answer: FrameAnswer): void {
    this.#executor.heard(answer);
  }

  wake(): void {
    this.#agent.wake();
  }

  /** What runs is told to stop at once: its last checkpoint goes with it. */
  leave(): void {
    this.isLeaving = true;
    this.#agent.stop();
    this.#agent.stop();
  }

  /** What it has not reported. */
  holding(): readonly AttemptRef[] {
    return this.#machine.workload.unreported();
  }

  lastRequest(): LastRequest | null {
    return givingBack(this.#start.identity.current, this.holding());
  }

  /** Says bye without waiting for anything, and returns what it held without a report. */
  close(): readonly AttemptRef[] {
    const held = this.holding();
    for (let i = 0; i < 3; i++) this.#agent.stop();
    return held;
  }

  #createExecutor(listener: ExecutorListener): Executor {
    const { about, rules, identity } = this.#start;
    const { createExecutor, createPayloads, heard, log, changed, tellPage, wire } = this.#ports;
    const onDropped = (key: AttemptKey, why: string) => {
      const detail = `A checkpoint of ${key} is dropped, the task goes on: ${why}`;
      log({ level: 'warn', event: 'checkpoint_dropped', detail });
    };
    const token = () => identity.current?.workerToken ?? null;
    return new WatchedExecutor(this.views, {
      payloads: createPayloads(token, (bytes, ms) => {
        this.#bandwidth.note(bytes, ms);
        wire.onBytes(bytes);
      }),
      nowMs: wire.nowMs,
      listener: (event) => {
        this.views.heard(event, wire.nowMs());
        heard(event);
        listener(event);
        changed();
      },
      createInner: (inner) =>
        (this.#executor = createExecutor({
          slots: rules().slots,
          listener: inner,
          tellPage,
          spares: about.isHandheld ? 0 : 1,
          resultLimitBytes: largestBlobBytes,
          losses: this.#losses,
          onUnsaved: onDropped,
          onFrameless: (why) => {
            const event = why === null ? 'frames_again' : 'no_frames';
            log({ level: why === null ? 'info' : 'warn', event, detail: why ?? '' });
          },
        })),
      onPacked: (slot, key, packMs) => this.#executor.notePacked(slot, key, packMs),
      onDropped,
    });
  }

  #createMachine(executor: Executor): WorkerMachine {
    const { about, rules, identity, kept, heldBefore } = this.#start;
    return new WorkerMachine({
      device: {
        // Read with every hello: the owner may give it another one.
        get name() {
          return rules().name || nameOf(about);
        },
        type: 'browser',
        platform: about.platform,
        kinds: ['javascript'],
        hands: ['bytes', 'shared'],
        isolation: executor.isolation,
        version: about.version,
      },
      slots: executor.slots,
      identity: identity.current,
      instance: newInstance(),
      random: this.#ports.random,
      telemetry: () => this.telemetry.read(),
      wattsPerCore: this.telemetry.watts,
      keepsReports: true,
      kept,
      heldBefore,
      tuning: { giveUpMs },
    });
  }

  /** Of what the coordinator says, what a person should know. */
  #overhear(listener: SocketListener): SocketListener {
    return {
      opened: () => listener.opened(),
      frame: (messages) => {
        for (const message of messages) {
          if (message.type === 'welcome') {
            const { coordinator_name: name } = message as { readonly coordinator_name?: unknown };
            this.coordinatorName = nameOrNull(name);
            this.#start.storage.saveCoordinatorName(this.coordinatorName);
            this.isWaiting = message.waiting_for_approval === true;
          } else if (message.type === 'approved') {
            this.isWaiting = false;
          }
        }
        listener.frame(messages);
        this.#ports.changed();
      },
      complaint: (detail) => listener.complaint(detail),
      refused: (status, code, detail) => {
        listener.refused(status, code, detail);
        this.#ports.changed();
      },
      closed: (detail) => {
        if (this.isConnected) this.#losses.note();
        listener.closed(detail);
        this.#ports.changed();
      },
    };
  }
}

class WatchedExecutor extends OffloadingExecutor {
  readonly #views: TaskViews;

  constructor(views: TaskViews, ports: OffloadingPorts) {
    super(ports);
    this.#views = views;
  }

  override run(slot: number, program: ExecutorProgram, tasks: readonly ExecutorTask[]): void {
    this.#views.ran(program, tasks);
    super.run(slot, program, tasks);
  }
}

const platformNames: Readonly<Record<string, string>> = {
  android: 'Android',
  ios: 'iOS',
  linux: 'Linux',
  darwin: 'macOS',
  win32: 'Windows',
  chromeos: 'ChromeOS',
};

/** For lists: `Chrome on Android`. */
function nameOf({ browserName, platform }: BeginOptions): string {
  const browser = browserName[0]?.toUpperCase() + browserName.slice(1);
  const on = Object.hasOwn(platformNames, platform) ? ` on ${platformNames[platform]}` : '';
  return `${browser}${on}`;
}

/** Also where a page has no `crypto.randomUUID`, as over plain HTTP. */
function newInstance(): string {
  const words = crypto.getRandomValues(new Uint32Array(4));
  return Array.from(words, (word) => word.toString(16).padStart(8, '0')).join('');
}
