// The executor of a browser: a warm frame for each slot, and a spare one where the device has the room. It
// runs in the agent's thread; frames are made by the page on its order.

import { defaultTaskMemoryMb } from '../../protocol/task-memory.ts';
import type {
  AttemptKey,
  Executor,
  ExecutorListener,
  ExecutorProgram,
  ExecutorTask,
  StopReason,
} from '../executor.ts';
import type { SandboxLimits } from '../sandbox/messages.ts';
import type { ChildListener } from '../slots/child.ts';
import { ChildPool } from '../slots/child-pool.ts';
import { isLoss, Losses } from '../slots/losses.ts';
import { common } from '../slots/serving.ts';
import { SlotRunner } from '../slots/slot-runner.ts';
import { FrameChild } from './frame-child.ts';
import { type FrameAnswer, type FrameOrderMessage, FrameSource } from './frame-source.ts';

export interface BrowserExecutorOptions {
  readonly slots: number;
  readonly listener: ExecutorListener;
  /** Orders for the page, which answers with `heard`. */
  readonly tellPage: (message: FrameOrderMessage) => void;
  /** Spare frames at a time: each takes memory, which handhelds do not have. */
  readonly spares: 0 | 1;
  /** What jobs may ask for; nothing here measures it. */
  readonly memoryLimitMb?: number;
  readonly resultLimitBytes?: number;
  /** Limit for the state of a checkpoint as JSON text. */
  readonly stateLimitBytes?: number;
  /** How long a stopped attempt may take to its next yield before its frame is removed. */
  readonly softKillMs?: number;
  /** Record of the losses on this worker; by default a new one. */
  readonly losses?: Losses;
  /** Called once per attempt whose task offers states that cannot be saved, with the reason. */
  readonly onUnsaved?: (key: AttemptKey, why: string) => void;
  /** Receives what a task prints while it runs, as soon as `outputMessagesPerSecond` allows. */
  readonly onOutput?: (slot: number, key: AttemptKey, text: string) => void;
  readonly outputMessagesPerSecond?: number;
  /** No frame can be had, and why; null once there is one again. */
  readonly onFrameless?: (why: string | null) => void;
}

const defaultResultLimitBytes = 1024 * 1024;
const defaultStateLimitBytes = 8 * 1024 * 1024;
const defaultSoftKillMs = 500;
/** Longer than it takes to notice that a frame is gone. */
const goneTogetherMs = 10_000;
const outputLimitBytes = 64 * 1024;
const defaultOutputMessages = 100;

export function createBrowserExecutor(options: BrowserExecutorOptions): BrowserExecutor {
  return new BrowserExecutor(options);
}

export class BrowserExecutor implements Executor {
  readonly isolation = 'ses+frame';
  readonly #options: BrowserExecutorOptions;
  readonly #frames: FrameSource;
  readonly #losses: Losses;
  readonly #limits: SandboxLimits;
  readonly #alive = new Set<FrameChild>();
  readonly #pool: ChildPool<FrameChild>;
  readonly #slots: SlotRunner[] = [];
  #inUse = 0;
  #busyGoneAt = -Infinity;
  #isFrameless = false;

  constructor(options: BrowserExecutorOptions) {
    this.#options = options;
    this.#frames = new FrameSource(options.tellPage);
    this.#losses = options.losses ?? new Losses(performance.now());
    this.#limits = {
      resultLimitBytes: options.resultLimitBytes ?? defaultResultLimitBytes,
      outputLimitBytes,
      stateLimitBytes: options.stateLimitBytes ?? defaultStateLimitBytes,
      outputMessagesPerSecond: options.outputMessagesPerSecond ?? defaultOutputMessages,
    };
    this.#pool = new ChildPool({
      start: () => this.#startChild(this.#memoryLimitMb, common),
      most: options.spares,
      areServed: () =>
        this.#slots.slice(0, this.#inUse).every(({ child }) => child?.isReady === true),
    });
    this.setSlots(options.slots);
  }

  get slots(): number {
    return this.#inUse;
  }

  /**
   * Slots that are not in use any more run what they hold to its end and have no frame then. They may come
   * back into use.
   */
  setSlots(slots: number): void {
    while (this.#slots.length < slots) this.#slots.push(this.#createSlot(this.#slots.length));
    this.#inUse = slots;
    for (const [index, slot] of this.#slots.entries()) slot.use(index < slots);
  }

  run(slot: number, program: ExecutorProgram, tasks: readonly ExecutorTask[]): void {
    this.#pool.worked();
    this.#slot(slot).run(program, tasks);
  }

  stop(slot: number, key: AttemptKey, reason: StopReason): void {
    this.#slot(slot).stop(key, reason);
  }

  checkpoint(slot: number, key: AttemptKey): void {
    this.#slot(slot).checkpoint(key);
  }

  /**
   * Tells the child what the agent needed to pack a checkpoint: it is a part of the checkpoint's
   * cost.
   */
  notePacked(slot: number, key: AttemptKey, packMs: number): void {
    this.#slot(slot).notePacked(key, packMs);
  }

  forget(jobId: string): void {
    for (const slot of this.#slots) slot.forget(jobId);
  }

  /** What the page answers to an order. */
  heard(answer: FrameAnswer): void {
    this.#frames.heard(answer);
  }

  close(): Promise<void> {
    this.#pool.close();
    for (const slot of this.#slots) slot.close();
    for (const child of this.#alive) child.kill('closed');
    return Promise.resolve();
  }

  /** The numbers of the frames that serve slots now, for diagnosis. */
  childPids(): readonly number[] {
    return this.#slots.flatMap(({ child }) => child?.pid ?? []);
  }

  #slot(index: number): SlotRunner {
    const slot = this.#slots[index];
    if (slot === undefined) throw new RangeError(`there is no slot ${index}`);
    return slot;
  }

  #createSlot(index: number): SlotRunner {
    const { listener, onOutput, softKillMs } = this.#options;
    return new SlotRunner({
      index,
      listener,
      onOutput: onOutput ?? null,
      outputLimit: outputLimitBytes,
      softKillMs: softKillMs ?? defaultSoftKillMs,
      memoryLimitMb: this.#memoryLimitMb,
      childrenShareProcess: true,
      // Whether a frame opens is a matter of page and network, not of the attempts that wait for it.
      withoutChild: 'returned',
      takeChild: (of, memoryMb, serves) => this.#takeChild(of, memoryMb, serves),
      meanTimeBetweenLossesMs: () => this.#losses.meanTimeMs(performance.now()),
      onUnsaved: this.#options.onUnsaved ?? (() => {}),
    });
  }

  get #memoryLimitMb(): number {
    return this.#options.memoryLimitMb ?? defaultTaskMemoryMb;
  }

  /** The spares serve what is common, with the common limit; another child is started when it is needed. */
  #takeChild(listener: ChildListener, memoryMb: number, serves: string): FrameChild {
    const isCommon = serves === common && memoryMb === this.#memoryLimitMb;
    if (isCommon) return this.#pool.take(listener);
    const child = this.#startChild(memoryMb, serves);
    child.listener = listener;
    return child;
  }

  #startChild(memoryLimitMb: number, serves: string): FrameChild {
    const child = new FrameChild({
      frames: this.#frames,
      memoryLimitMb,
      limits: this.#limits,
      serves,
      hasCompany: () => this.#hadCompany(child),
      onReady: () => this.#noteFrames(null),
      onEnded: (ended) => this.#childEnded(ended),
    });
    this.#alive.add(child);
    return child;
  }

  /** Called as its frame is gone. Frames that end together are not noticed at the same moment. */
  #hadCompany(child: FrameChild): boolean {
    const now = performance.now();
    const others = [...this.#alive].some((other) => other !== child && other.isBusy);
    const hadCompany = others || now - this.#busyGoneAt < goneTogetherMs;
    if (child.isBusy) this.#busyGoneAt = now;
    return hadCompany;
  }

  #childEnded(child: FrameChild): void {
    this.#alive.delete(child);
    if (child.isReady && isLoss(child.endCause)) this.#losses.note();
    if (!child.isReady && isLoss(child.endCause)) {
      this.#noteFrames(`${child.endedBy} ${child.output}`.trim());
    }
  }

  #noteFrames(why: string | null): void {
    if (this.#isFrameless === (why !== null)) return;
    this.#isFrameless = why !== null;
    this.#options.onFrameless?.(why);
  }
}
