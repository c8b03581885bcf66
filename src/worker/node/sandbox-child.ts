// One sandbox child process as the agent sees it: start, messages, memory, end. Which attempts it
// is given is decided in slots/slot-runner.ts.

import { ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { filterFd, openFilter } from './confinement/filter-file.ts';
import type { Confinement } from './confinement.ts';
import { ChildFolder } from './child-folder.ts';
import { type ChildCode, childSources } from './entry-points.ts';
import { withoutInherited } from './inherited-descriptors.ts';
import { askResidentMb, innermostPid, readResidentMb } from './memory-reading.ts';
import { hasLinuxKernel } from './platform.ts';
import { PayloadPipe } from './sandbox/payload-pipe.ts';
import { readSpelledBytes, spellBytes } from './sandbox/spelled-bytes.ts';
import {
  type LongMessage,
  longOrders,
  sizesInSaying,
  textsInSaying,
} from '../sandbox/long-texts.ts';
import {
  type ChildSettings,
  type LentBlob,
  readFromChild,
  type SandboxLimits,
  stopOrderAt,
  type ToChild,
} from '../sandbox/messages.ts';
import { notedOrder } from '../sandbox/stop-order.ts';
import type { BlobContent } from '../executor.ts';
import type { Child, ChildListener, EndCause } from '../slots/child.ts';
import { ChildPrograms } from '../slots/child-programs.ts';

export interface ChildOptions {
  readonly confinement: Confinement;
  /** Null: it runs the sources. */
  readonly code: ChildCode | null;
  /** An empty folder for the child to work in, one for files of the agent, and where folders of children are. */
  readonly emptyFolder: string;
  readonly ownFolder: string;
  readonly childFolders: string;
  readonly memoryLimitMb: number;
  /** What it is there for: see slots/serving.ts. */
  readonly serves: string;
  readonly settings: SandboxLimits & Pick<ChildSettings, 'sesPath'>;
  readonly onStarted: (pid: number) => void;
  readonly onReady: () => void;
  readonly onEnded: (child: SandboxChild) => void;
}

const outputLimit = 64 * 1024;
const termGraceMs = 500;
const startLimitMs = 30_000;
const positionFd = 4;
/** Windows gives a pipe to a child in ways of its own: there all texts go in messages. */
const payloadFd = process.platform === 'win32' ? null : filterFd + 1;
/** Above the limits of results and states: shorter texts that leave together with one of those. */
const gatheredBytes = 1024 * 1024;
let started = 0;

export class SandboxChild implements Child {
  listener: ChildListener | null = null;
  /** Owner of the attempts that it was given; null before the first: it may serve any owner. */
  owner: string | null = null;
  isReady = false;
  hasEnded = false;
  endCause: EndCause = null;
  /** How the process ended: `exit code 1`, `signal SIGSEGV`. */
  endedBy = '';
  /** Programs that the child knows. */
  readonly programs = new ChildPrograms();
  /** Number of the attempt that was handed over last; numbers count from 1 within a child. */
  lastNumber = 0;
  /** Memory that it holds beyond what it held when it was ready. */
  grownMb = 0;
  /** What its tasks may take beyond what it held when it was ready. */
  readonly memoryLimitMb: number;
  readonly serves: string;
  readonly hadCompany = false;
  readonly #options: ChildOptions;
  readonly #process: ChildProcess;
  readonly #pipe: PayloadPipe | null;
  readonly #folder: ChildFolder;
  readonly #position: number;
  readonly #positionBytes = new Int32Array(1);
  #restingMb: number | null = null;
  #innerPid: number | null = null;
  #measuredAt = 0;
  #output = '';
  #openParts = 2;
  readonly #startTimer: NodeJS.Timeout;

  constructor(options: ChildOptions) {
    this.#options = options;
    this.memoryLimitMb = options.memoryLimitMb;
    this.serves = options.serves;
    const name = `${process.pid}-${++started}`;
    const path = join(options.ownFolder, `position-${name}`);
    this.#folder = new ChildFolder(join(options.childFolders, name));
    this.#position = openSync(path, 'w+');
    const code = options.code ?? childSources();
    const settings: ChildSettings = {
      ...options.settings,
      positionFd,
      payloadFd,
      folder: this.#folder.path,
      codePaths: code.isWhole ? [...code.folders, ...code.files] : [],
      serves: options.serves,
    };
    const { file, args } = options.confinement.command(
      JSON.stringify(settings),
      options.memoryLimitMb,
      { ...code, folders: [...code.folders, this.#folder.path] },
    );
    const { filter } = options.confinement;
    const ours: (number | 'ignore' | 'pipe' | 'ipc')[] = ['ignore', 'pipe', 'pipe', 'ipc'];
    ours[positionFd] = this.#position;
    if (filter !== null) ours[filterFd] = openFilter(options.ownFolder, filter);
    if (payloadFd !== null) ours[payloadFd] = 'pipe';
    this.#process = startedOrNot(() =>
      withoutInherited(ours, (stdio) =>
        spawn(file, args, {
          cwd: options.emptyFolder,
          // Hours and days of a `Date` are the same on every device.
          env: { TZ: 'UTC' },
          stdio,
          // A session of its own: Ctrl-C in a terminal must reach the agent only.
          detached: process.platform !== 'win32',
          windowsHide: true,
        }),
      ),
    );
    if (typeof ours[filterFd] === 'number') closeSync(ours[filterFd]);
    if (process.platform !== 'win32') unlinkSync(path);
    this.#pipe = this.#openPipe();
    this.#listen();
    if (this.#process.pid !== undefined) options.onStarted(this.#process.pid);
    this.#startTimer = setTimeout(() => {
      this.kill('unresponsive');
    }, startLimitMs).unref();
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  /** The end of what the process printed: above all the error with which the engine ended. */
  get output(): string {
    return this.#output;
  }

  send(...messages: readonly ToChild[]): void {
    if (this.hasEnded || !this.#process.connected) return;
    const long = longOrders(messages);
    this.#process.send(long === null ? [...messages] : [...this.#beside(long)], () => {});
  }

  lend(jobId: string, blobs: ReadonlyMap<string, BlobContent>): readonly LentBlob[] {
    return this.#folder.lend(jobId, blobs);
  }

  takeBack(jobId: string): void {
    this.#folder.takeBack(jobId);
  }

  /** What is left for the message channel. */
  #beside(long: LongMessage): readonly unknown[] {
    if (this.#pipe === null) return spellBytes(long);
    this.#pipe.write(long);
    return long.message;
  }

  /**
   * Number of the attempt that was begun last, 0 before the first. Known also when the child has
   * ended.
   */
  position(): number {
    if (!this.hasEnded) readSync(this.#position, this.#positionBytes, 0, 4, 0);
    return this.#positionBytes[0] ?? 0;
  }

  /** The child may fail to read it, and the disk may be full: what does not give way is ended all the same. */
  noteStop(number: number, wantsCheckpoint: boolean): void {
    if (this.hasEnded) return;
    const noted = Int32Array.of(notedOrder(number, wantsCheckpoint));
    try {
      writeSync(this.#position, noted, 0, 4, stopOrderAt);
    } catch {
      // It is stopped by a message, or by its end.
    }
  }

  /** Kills the child when it holds more memory than its limit. Reads at most once in `everyMs`. */
  watchMemory(nowMs: number, everyMs: number): void {
    const pid = this.#innerPid;
    const isCheap = hasLinuxKernel();
    const pauseMs = isCheap ? everyMs : everyMs * 10;
    if (pid === null || this.hasEnded || nowMs - this.#measuredAt < pauseMs) return;
    this.#measuredAt = nowMs;
    const judge = (mb: number | null) => {
      if (mb === null) return;
      this.#restingMb ??= mb;
      this.grownMb = mb - this.#restingMb;
      if (this.grownMb > this.memoryLimitMb) this.kill('out_of_memory');
    };
    if (isCheap) judge(readResidentMb(pid));
    else askResidentMb(pid, judge);
  }

  /** Ends the child by SIGTERM first, so that it may still print an error. */
  terminate(cause: EndCause): void {
    if (this.hasEnded || this.endCause !== null) return;
    this.endCause = cause;
    this.#signal('SIGTERM');
    setTimeout(() => {
      this.#signal('SIGKILL');
    }, termGraceMs).unref();
  }

  kill(cause: EndCause): void {
    if (this.hasEnded) return;
    this.endCause ??= cause;
    this.#signal('SIGKILL');
  }

  /**
   * Signals the whole process group: a wrapper that is killed while it is still starting leaves its
   * own child behind, which holds the channel open.
   */
  #signal(signal: NodeJS.Signals): void {
    const { pid } = this.#process;
    if (pid === undefined || this.hasEnded) return;
    try {
      if (process.platform === 'win32') this.#process.kill(signal);
      else process.kill(-pid, signal);
    } catch {
      // It has ended already.
    }
  }

  #openPipe(): PayloadPipe | null {
    const socket = payloadFd === null ? null : this.#process.stdio?.[payloadFd];
    if (socket === null || socket === undefined) return null;
    const { resultLimitBytes, stateLimitBytes } = this.#options.settings;
    return new PayloadPipe({
      socket: socket as Socket,
      mostBytes: resultLimitBytes + stateLimitBytes + gatheredBytes,
      onMessage: (message) => this.#said(message),
      onBroken: () => this.kill(null),
    });
  }

  #said(raw: unknown): void {
    const message = readFromChild(raw);
    if (message === null) this.kill(null);
    else if (message[0] === 'ready') this.#becomeReady();
    else this.listener?.childSaid(this, message);
  }

  #listen(): void {
    const child = this.#process;
    const pipe = this.#pipe;
    child.on('message', (raw: unknown) => {
      if (pipe === null) {
        readSpelledBytes(textsInSaying(raw));
        this.#said(raw);
      } else pipe.announce(raw, sizesInSaying(raw));
    });
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#output = (this.#output + text).slice(-outputLimit);
      });
    }
    child.on('error', (error) => {
      this.#output += error.message;
      if (child.pid === undefined) this.#partClosed(2);
    });
    child.on('exit', (code, signal) => {
      pipe?.last();
      this.endedBy = signal === null ? `exit code ${code}` : `signal ${signal}`;
    });
    // `close`: the output was read to its end. `disconnect`: the channel was read to its end.
    child.on('close', () => {
      this.#partClosed(1);
    });
    child.on('disconnect', () => {
      this.#partClosed(1);
    });
  }

  #becomeReady(): void {
    if (this.isReady) return;
    this.isReady = true;
    clearTimeout(this.#startTimer);
    if (this.#process.pid !== undefined) this.#innerPid = innermostPid(this.#process.pid);
    this.watchMemory(performance.now(), 0);
    this.#options.onReady();
    this.listener?.childReady(this);
  }

  #partClosed(parts: number): void {
    this.#openParts -= parts;
    if (this.#openParts > 0 || this.hasEnded) return;
    // The last reading: once it is closed, the descriptor may belong to another file.
    this.position();
    this.hasEnded = true;
    clearTimeout(this.#startTimer);
    closeSync(this.#position);
    this.#folder.remove();
    this.#options.onEnded(this);
    this.listener?.childEnded(this);
  }
}

/** Node throws for some failures to start and emits `error` for others; here it emits for all. */
function startedOrNot(start: () => ChildProcess): ChildProcess {
  try {
    return start();
  } catch (error) {
    const unborn = new ChildProcess();
    setImmediate(() => unborn.emit('error', error as Error));
    return unborn;
  }
}
