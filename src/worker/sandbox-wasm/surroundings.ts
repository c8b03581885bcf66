// What an instance of a program finds around it: memory, files, streams, clock, random numbers, and the task that it
// works at. An ordinary program has one instance for each attempt; one of calls goes from task to task with the same.

import type { GuestTask } from '../sandbox/guest.ts';
import { type Descriptor, Descriptors } from './descriptors.ts';
import { errno } from './errno.ts';
import { tooLarge } from './ends.ts';
import { toUtf8 } from './engine.ts';
import type { FolderNode } from './file-nodes.ts';
import { FileTree } from './file-tree.ts';
import { GuestMemory } from './guest-memory.ts';
import { HostCalls } from './host-calls.ts';
import { MusterFolder } from './muster-folder.ts';
import { PrintedText, type WrittenBytes } from './output-text.ts';
import { type SavedState, stateJsonOf } from './saved-state.ts';
import { StopOrder } from './stop-order.ts';
import { TaskClock } from './task-clock.ts';
import { TaskRandom } from './task-random.ts';

export interface SurroundingsOptions {
  readonly nowMs: () => number;
  /** The texts of a program, in UTF-8. */
  readonly args: readonly Uint8Array[];
  /** Each as `NAME=value`. */
  readonly env: readonly Uint8Array[];
  /** By their paths. */
  readonly files: readonly (readonly [path: string, bytes: Uint8Array])[];
  readonly shared: Uint8Array | null;
  /** What the program writes to files may take so much. */
  readonly filesMostBytes: number;
  /** Its checkpoints have no files. */
  readonly writesNoFiles: boolean;
}

/** What an attempt goes on from. */
export interface Resumed {
  readonly state: SavedState | null;
  /** On its clock. */
  readonly passedNs?: bigint;
}

export class Surroundings {
  readonly memory = new GuestMemory();
  readonly calls: HostCalls;
  readonly descriptors: Descriptors;
  readonly files: FileTree;
  readonly args: readonly Uint8Array[];
  readonly env: readonly Uint8Array[];
  readonly shared: Uint8Array | null;
  printed: PrintedText;
  clock: TaskClock;
  random: TaskRandom;
  stop: StopOrder;
  /** The state that the attempt resumes from. */
  resumed: Uint8Array | null = null;
  readonly #nowMs: () => number;
  readonly #folder: MusterFolder;
  #task: GuestTask;
  #lastState: SavedState | null = null;

  constructor(options: SurroundingsOptions, task: GuestTask, resumed: Resumed) {
    const { nowMs, args, env, shared } = options;
    this.#nowMs = nowMs;
    this.args = args;
    this.env = env;
    this.shared = shared;
    this.#task = task;
    this.calls = new HostCalls(this.memory, () => this.stop.leavesNow(this.#task.isStopped()));
    this.files = new FileTree(options.filesMostBytes, options.writesNoFiles);
    for (const [path, bytes] of options.files) this.files.give(path, bytes);
    this.#folder = new MusterFolder(this.files, {
      task: () => this.#task,
      askedWhetherToStop: () => this.stop.asked(),
      offer: (state) => this.offer(state),
    });
    if (shared !== null) this.#folder.share(this.files.given(shared));
    this.descriptors = new Descriptors((node) => this.#folder.settled(node));
    this.clock = new TaskClock(nowMs, resumed.passedNs);
    this.random = new TaskRandom(task.taskId, resumed.state?.random ?? null);
    this.stop = new StopOrder(nowMs);
    this.printed = new PrintedText(task.print);
    this.resumed = resumed.state?.bytes ?? null;
    if (this.resumed !== null) this.#folder.place(this.files, this.resumed);
  }

  get task(): GuestTask {
    return this.#task;
  }

  /** The instance goes on with another task. */
  turnTo(task: GuestTask, { state, passedNs }: Resumed): void {
    this.#task = task;
    this.clock = new TaskClock(this.#nowMs, passedNs);
    this.random = new TaskRandom(task.taskId, state?.random ?? null);
    this.stop = new StopOrder(this.#nowMs);
    this.printed = new PrintedText(task.print);
    this.resumed = state?.bytes ?? null;
    this.#lastState = null;
    this.#folder.clear(this.files);
    if (this.resumed !== null) this.#folder.place(this.files, this.resumed);
  }

  /** Opens the three streams and the root of the files, in this order. */
  openStreams(input: Uint8Array, output: Descriptor): void {
    const node = this.files.given(input);
    const reading = { reads: true, writes: false, appends: false, position: 0, isChanged: false };
    this.descriptors.give({ type: 'file', node, ...reading });
    this.descriptors.give(output);
    this.descriptors.give(this.terminal());
    this.descriptors.give({
      type: 'folder',
      node: this.files.root,
      preopenName: '/',
      listing: null,
    });
  }

  /** A stream that is printed. */
  terminal(): Descriptor {
    return {
      type: 'stream',
      isTerminal: true,
      write: (bytes) => {
        this.printed.add(bytes);
        return errno.success;
      },
    };
  }

  /** A stream that becomes the result. */
  resultStream(written: WrittenBytes): Descriptor {
    return {
      type: 'stream',
      isTerminal: false,
      write: (bytes) => {
        if (!written.add(bytes)) this.calls.leave(tooLarge(this.#task.resultLimitBytes));
        return errno.success;
      },
    };
  }

  /** A file has got the name that the path ends with. */
  noteSettled(folder: FolderNode, path: string): void {
    const node = this.files.find(folder, path);
    if (typeof node !== 'number') this.#folder.settled(node);
  }

  /** A program offers a state. It is only made into text when one is due. */
  offer(state: Uint8Array): void {
    this.#lastState = { bytes: state.slice(), random: this.random.state() };
    if (this.#task.isCheckpointDue()) this.#offerLast(this.#lastState);
    this.stop.offered();
  }

  /** Offers once more what the program has left last, now that it ends. Whether there is something. */
  offerLast(): boolean {
    if (this.#lastState === null) return false;
    this.#offerLast(this.#lastState);
    return true;
  }

  #offerLast(state: SavedState): void {
    const json = stateJsonOf(state);
    const { stateLimitBytes, offer } = this.#task;
    const bytes = toUtf8(json).length;
    if (bytes <= stateLimitBytes) return offer(json);
    this.printed.say(`a state of ${bytes} bytes is not saved: at most ${stateLimitBytes} are`);
  }
}
