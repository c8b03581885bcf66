// A page with its agent, where the test plays everything around it: the coordinator, the frames, the database of the
// browser, the clock. Timers and the date are those of vitest; a sleep lets only the date go on.

import { vi } from 'vitest';
import type { CoordinatorMessage } from '../../../protocol/messages.ts';
import type { AttemptKey, ExecutorOutcome, ExecutorTask, StopReason } from '../../executor.ts';
import type { PayloadStore } from '../../payloads/payload-store.ts';
import { DeviceAgent } from '../device-agent.ts';
import type { DeviceExecutor, DeviceExecutorOptions, FrameAnswer } from '../device-life.ts';
import { rulesToBeginWith } from '../owner-rules.ts';
import type {
  BeginOptions,
  DeviceState,
  FromAgent,
  OwnerRules,
  PageSigns,
  ToAgent,
} from '../page-messages.ts';
import { FakeWire } from './fake-wire.ts';
import { MemoryEntries } from './memory-entries.ts';

export const signs: PageSigns = {
  isVisible: true,
  isOnline: true,
  batteryPercent: 80,
  isCharging: true,
  isMetered: false,
  networkType: 'wifi',
  pressure: 'nominal',
  isKeptAwake: false,
};

export const desktop: BeginOptions = {
  isHandheld: false,
  platform: 'linux',
  browserName: 'Chrome',
  cores: 4,
  deviceMemoryGb: 8,
  version: '0.1.0',
  isReload: false,
};

/** Small payloads only: none of them is packed or moved. */
export const noPayloads: PayloadStore = {
  pack: (text) => ({ encoding: 'json', text }),
  fetchInput: () => Promise.reject(new Error('no blobs here')),
  fetchBytes: () => Promise.reject(new Error('no blobs here')),
  hold: () => Promise.reject(new Error('no blobs here')),
  isLarge: () => false,
  storeResult: () => Promise.reject(new Error('no blobs here')),
  storeBytes: () => Promise.reject(new Error('no blobs here')),
  close: () => {},
};

export class FakeFrames implements DeviceExecutor {
  readonly isolation = 'ses+frame';
  readonly options: DeviceExecutorOptions;
  readonly tasks = new Map<AttemptKey, { readonly slot: number; readonly task: ExecutorTask }>();
  readonly stops: { readonly key: AttemptKey; readonly reason: StopReason }[] = [];
  readonly checkpoints: AttemptKey[] = [];
  readonly answers: FrameAnswer[] = [];
  slots: number;
  isClosed = false;

  constructor(options: DeviceExecutorOptions) {
    this.options = options;
    this.slots = options.slots;
  }

  setSlots(slots: number): void {
    this.slots = slots;
  }

  run(slot: number, _program: unknown, tasks: readonly ExecutorTask[]): void {
    for (const task of tasks) this.tasks.set(task.key, { slot, task });
  }

  start(key: AttemptKey): void {
    this.options.listener({ type: 'started', slot: this.#slotOf(key), key });
  }

  save(key: AttemptKey, progress: number): void {
    const state = { encoding: 'json', text: '{"at":1}' } as const;
    const about = { slot: this.#slotOf(key), key, sequence: 1, runMs: 5 };
    this.options.listener({ type: 'checkpoint', progress, state, ...about });
  }

  succeed(key: AttemptKey, valueJson = '42'): void {
    this.#end({ type: 'result', key, valueJson, runMs: 5, cpuSeconds: 1 });
  }

  obey(key: AttemptKey): void {
    const reason = this.stops.find((stop) => stop.key === key)?.reason ?? 'cancelled';
    this.#end({ type: 'stopped', key, reason });
  }

  stop(_slot: number, key: AttemptKey, reason: StopReason): void {
    this.stops.push({ key, reason });
  }

  checkpoint(_slot: number, key: AttemptKey): void {
    this.checkpoints.push(key);
  }

  heard(answer: FrameAnswer): void {
    this.answers.push(answer);
  }

  notePacked(): void {}

  forget(): void {}

  close(): Promise<void> {
    this.isClosed = true;
    return Promise.resolve();
  }

  #slotOf(key: AttemptKey): number {
    return this.tasks.get(key)!.slot;
  }

  #end(outcome: ExecutorOutcome): void {
    const slot = this.#slotOf(outcome.key);
    this.tasks.delete(outcome.key);
    this.options.listener({ type: 'finished', slot, outcomes: [outcome] });
  }
}

export interface StageOptions {
  readonly entries?: MemoryEntries | null;
  readonly wire?: FakeWire;
  readonly isElsewhere?: boolean;
}

export class DeviceStage {
  readonly told: FromAgent[] = [];
  readonly lives: FakeFrames[] = [];
  readonly wire: FakeWire;
  readonly entries: MemoryEntries | null;
  readonly agent: DeviceAgent;
  isElsewhere: boolean;
  hasTab = false;
  #sleptMs = 0;

  constructor({ entries = new MemoryEntries(), wire, isElsewhere = false }: StageOptions = {}) {
    this.wire = wire ?? new FakeWire();
    if (wire === undefined) this.wire.letIn();
    this.entries = entries;
    this.isElsewhere = isElsewhere;
    this.agent = new DeviceAgent({
      tell: (message) => this.told.push(structuredClone(message)),
      createExecutor: (options) => {
        const frames = new FakeFrames(options);
        this.lives.push(frames);
        return frames;
      },
      createPayloads: () => noPayloads,
      entries,
      tab: {
        take: () => {
          this.hasTab = !this.isElsewhere;
          return Promise.resolve(this.hasTab);
        },
        letGo: () => {
          this.hasTab = false;
        },
        isElsewhere: () => Promise.resolve(this.isElsewhere),
      },
      wire: this.wire,
      random: () => 0.5,
      probeMs: () => 0,
      epochMs: Date.now,
      monotonicMs: () => Date.now() - this.#sleptMs,
      isSecure: true,
    });
  }

  hear(message: ToAgent): Promise<void> {
    this.agent.hear(message);
    return this.after(0);
  }

  /** Opened and begun, as a person does. */
  async begin(
    rules: Partial<OwnerRules> = {},
    device: Partial<BeginOptions> = {},
    token: string | null = 'link',
  ): Promise<void> {
    const whole = { ...desktop, ...device };
    await this.hear({ type: 'signs', signs });
    await this.hear({ type: 'open', token, about: whole });
    await this.hear({ type: 'begin', rules: { ...rulesToBeginWith(whole), ...rules } });
  }

  /** A coordinator that takes it, and waits for its hello. */
  async welcome(more: object = {}): Promise<void> {
    this.wire.socket.open();
    await this.after(0);
    const message = {
      type: 'welcome',
      protocol: 1,
      worker_id: 'w1',
      heartbeat_interval_seconds: 5,
      lease_seconds: 15,
      drain: false,
      stop: [],
      ...more,
    } as CoordinatorMessage;
    this.wire.socket.say(message);
    await this.after(0);
  }

  async work(rules: Partial<OwnerRules> = {}, device: Partial<BeginOptions> = {}): Promise<void> {
    await this.begin(rules, device);
    await this.welcome({ worker_token: 'own', coordinator_name: 'Lab' });
  }

  /** Tasks of one job, which begin at once. */
  async assign(sequence: number, ...names: string[]): Promise<void> {
    this.wire.socket.say({
      type: 'assign',
      sequence,
      programs: {
        job: {
          program: { kind: 'javascript', source: '' },
          attempt_timeout_seconds: null,
          checkpoint_interval_seconds: null,
        },
      },
      assignments: names.map((name, index) => {
        const ref = { task_id: name, attempt: 1, token: 't' };
        return { ...ref, job_id: 'job', index, input: 1 };
      }),
    });
    await this.after(0);
    for (const name of names) {
      if (this.frames.tasks.has(`${name}#1`)) this.frames.start(`${name}#1`);
    }
    await this.after(0);
  }

  async acknowledge(name: string): Promise<void> {
    const accepted = [{ task_id: name, attempt: 1, kind: 'result' as const }];
    this.wire.socket.say({ type: 'ack', accepted });
    await this.after(0);
  }

  see(more: Partial<PageSigns>): Promise<void> {
    return this.hear({ type: 'signs', signs: { ...signs, ...more } });
  }

  async after(ms: number): Promise<void> {
    // Answers are read by streams, which take some turns.
    for (let turn = 0; turn < 4; turn++) await new Promise((resolve) => setImmediate(resolve));
    await vi.advanceTimersByTimeAsync(ms);
    for (let turn = 0; turn < 4; turn++) await new Promise((resolve) => setImmediate(resolve));
  }

  async sleep(ms: number): Promise<void> {
    this.#sleptMs += ms;
    vi.setSystemTime(Date.now() + ms);
    await this.after(500);
  }

  get frames(): FakeFrames {
    return this.lives.at(-1)!;
  }

  get state(): DeviceState {
    return this.last('state').state;
  }

  last<T extends FromAgent['type']>(type: T): Extract<FromAgent, { readonly type: T }> {
    const found = this.told.findLast((message) => message.type === type);
    if (found === undefined) throw new Error(`Nothing was told of ${type}.`);
    return found as never;
  }

  heardOf(type: FromAgent['type']): boolean {
    return this.told.some((message) => message.type === type);
  }
}
