// A frame with one thread as the agent sees it: start, messages, end. Which attempts it is given is decided
// in slots/slot-runner.ts. Its end is the removal of the frame, whatever the thread does.

import {
  doneWidth,
  type LentBlob,
  type OutcomeField,
  readFromChild,
  type SandboxLimits,
  type ToChild,
} from '../sandbox/messages.ts';
import type { BlobContent } from '../executor.ts';
import type { Child, ChildListener, EndCause } from '../slots/child.ts';
import { ChildPrograms } from '../slots/child-programs.ts';
import { startLooseTimer, type Timer } from '../slots/loose-timer.ts';
import type { FrameSource, FrameTaker } from './frame-source.ts';
import { MessageBounds } from './message-bounds.ts';
import type { ThreadLine } from './thread-line.ts';

export interface FrameChildOptions {
  readonly frames: FrameSource;
  /** Browsers measure no thread: it is what the tasks were promised, and nothing holds them to it. */
  readonly memoryLimitMb: number;
  readonly limits: SandboxLimits;
  readonly serves: string;
  /** Whether other frames are there, in which tasks run. */
  readonly hasCompany: () => boolean;
  readonly onReady: () => void;
  readonly onEnded: (child: FrameChild) => void;
}

/** A page in the background makes frames slowly. */
const startLimitMs = 30_000;
const faultLimit = 1000;

export class FrameChild implements Child, FrameTaker {
  listener: ChildListener | null = null;
  owner: string | null = null;
  isReady = false;
  hasEnded = false;
  endCause: EndCause = null;
  endedBy = '';
  output = '';
  hadCompany = false;
  readonly programs = new ChildPrograms();
  lastNumber = 0;
  readonly grownMb = 0;
  readonly memoryLimitMb: number;
  readonly serves: string;
  /** Number of the frame. */
  readonly pid: number;
  readonly #options: FrameChildOptions;
  readonly #bounds: MessageBounds;
  readonly #startTimer: Timer;
  #line: ThreadLine | null = null;
  #position = 0;
  #doneUpTo = 0;

  constructor(options: FrameChildOptions) {
    this.#options = options;
    this.memoryLimitMb = options.memoryLimitMb;
    this.serves = options.serves;
    this.#bounds = new MessageBounds(options.limits, performance.now());
    this.#startTimer = startLooseTimer(() => this.kill('unresponsive'), startLimitMs);
    this.pid = options.frames.open(this);
  }

  /** It was given attempts that it has not reported on yet. */
  get isBusy(): boolean {
    return this.#position > 0 && this.#doneUpTo < this.lastNumber;
  }

  send(...messages: readonly ToChild[]): void {
    if (!this.hasEnded) this.#line?.send(['tell', messages]);
  }

  /** The thread keeps a copy for as long as it knows the job. */
  lend(_jobId: string, blobs: ReadonlyMap<string, BlobContent>): readonly LentBlob[] {
    return [...blobs].map(([sha256, content]) => {
      if ('bytes' in content) return [sha256, content.bytes];
      throw new Error('a page has no files');
    });
  }

  takeBack(): void {}

  /** As the thread told it before it began: there is no memory that both could see. */
  position(): number {
    return this.#position;
  }

  /** There is no memory for it either. */
  noteStop(): void {}

  watchMemory(): void {}

  terminate(cause: EndCause): void {
    this.kill(cause);
  }

  kill(cause: EndCause): void {
    if (this.hasEnded) return;
    this.endCause ??= cause;
    this.#end(cause === 'unresponsive' ? 'it no longer answered' : 'it was ended');
  }

  frameOpened(line: ThreadLine): void {
    this.#line = line;
    line.listen(
      (message) => this.#hear(message),
      // Nothing else ends a thread that is well: those that give up say why.
      () => this.#disappear(),
    );
    line.send(['begin', this.#options.limits, this.serves]);
  }

  frameFailed(why: string): void {
    this.output = why;
    this.#end(this.isReady ? 'its thread failed' : 'its frame did not open');
  }

  #hear(raw: unknown): void {
    if (this.hasEnded) return;
    if (typeof raw === 'number') return this.#begin(raw);
    const fault = faultIn(raw);
    if (fault !== null) return this.frameFailed(fault);
    const message = readFromChild(raw);
    if (message === null) return this.#end('it sent what no sandbox sends');
    const excess = this.#bounds.faultOf(message, performance.now());
    if (excess !== null) return this.#end(excess);
    if (message[0] === 'done') this.#noteDone(message[1]);
    if (message[0] === 'ready') this.#becomeReady();
    else this.listener?.childSaid(this, message);
  }

  #noteDone(items: readonly OutcomeField[]): void {
    this.#doneUpTo = Number(items[items.length - doneWidth] ?? this.#doneUpTo);
  }

  /** Of those that it was given it begins one after the other. Anything else would hide what it does. */
  #begin(number: number): void {
    const isNext = Number.isInteger(number) && number > this.#position;
    if (!isNext || number > this.lastNumber)
      return this.#end('it told of a task that it was not given');
    this.#position = number;
  }

  #disappear(): void {
    if (this.hasEnded) return;
    if (!this.isReady) return this.#end('its frame did not open');
    // Browsers put frames of one site into one process: they end together.
    this.hadCompany = this.#options.hasCompany();
    this.#end('the browser ended its frame, as it does when memory runs out');
  }

  #becomeReady(): void {
    if (this.isReady) return;
    this.isReady = true;
    clearTimeout(this.#startTimer);
    this.#options.onReady();
    this.listener?.childReady(this);
  }

  /** Told a little later: whoever has ended it is still at work. */
  #end(endedBy: string): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.endedBy = endedBy;
    clearTimeout(this.#startTimer);
    this.#line?.close();
    this.#options.frames.close(this.pid);
    queueMicrotask(() => {
      this.#options.onEnded(this);
      this.listener?.childEnded(this);
    });
  }
}

function faultIn(raw: unknown): string | null {
  if (!Array.isArray(raw)) return null;
  const [kind, why] = raw as readonly unknown[];
  return kind === 'fault' && typeof why === 'string' ? why.slice(0, faultLimit) : null;
}
