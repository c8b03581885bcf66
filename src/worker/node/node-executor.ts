// The executor of a PC worker: a warm sandbox child for each slot, and spare children, so that a
// slot need not wait for the start of its next one.

import { realpathSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defaultTaskMemoryMb } from '../../protocol/task-memory.ts';
import type {
  AttemptKey,
  Executor,
  ExecutorListener,
  ExecutorProgram,
  ExecutorTask,
  StopReason,
} from '../executor.ts';
import { BuiltCode } from './built-code.ts';
import { chooseConfinement, type Confinement, type IsolationUse } from './confinement.ts';
import { type ChildCode, sesPath } from './entry-points.ts';
import { narrowingFlags } from './confinement/node-flags.ts';
import { PidFiles } from './pid-files.ts';
import { SandboxChild } from './sandbox-child.ts';
import { SandboxFolder } from './sandbox-folder.ts';
import type { ChildListener } from '../slots/child.ts';
import { ChildPool } from '../slots/child-pool.ts';
import { isLoss, Losses } from '../slots/losses.ts';
import { common } from '../slots/serving.ts';
import { SlotRunner } from '../slots/slot-runner.ts';

export interface NodeExecutorOptions {
  readonly slots: number;
  readonly listener: ExecutorListener;
  /** Memory that task code may take, in MB, beyond that of an idle child (about 60). */
  readonly memoryLimitMb?: number;
  readonly resultLimitBytes?: number;
  /** How long a stopped attempt may take to its next yield before its child is ended. */
  readonly softKillMs?: number;
  /** Limit for the state of a checkpoint as JSON text. */
  readonly stateLimitBytes?: number;
  readonly nodePath?: string;
  /** Use of bubblewrap; `auto` by default. */
  readonly isolation?: IsolationUse;
  /** Folder for the pids of children, on systems whose kernel does not end them with the agent. */
  readonly stateDir?: string;
  /** Folder for the built code of children; without it they run the sources. */
  readonly codeDir?: string;
  /** What they run in place of the sources and of built code. */
  readonly childCode?: ChildCode;
  /** Record of the losses on this worker; by default a new one. */
  readonly losses?: Losses;
  /** Called once per attempt whose task offers states that cannot be saved, with the reason. */
  readonly onUnsaved?: (key: AttemptKey, why: string) => void;
  /** Receives what a task prints while it runs, as soon as `outputMessagesPerSecond` allows. */
  readonly onOutput?: (slot: number, key: AttemptKey, text: string) => void;
  /** Bounds what it costs that tasks print: 100 by default, for each child. */
  readonly outputMessagesPerSecond?: number;
}

const defaultResultLimitBytes = 1024 * 1024;
const defaultStateLimitBytes = 8 * 1024 * 1024;
const defaultSoftKillMs = 500;
const outputLimitBytes = 64 * 1024;
const defaultOutputMessages = 100;
/** Each spare holds some 60 MB. */
const sparesMax = 8;

export function createNodeExecutor(options: NodeExecutorOptions): NodeExecutor {
  return new NodeExecutor(options);
}

export class NodeExecutor implements Executor {
  readonly slots: number;
  readonly isolation: string;
  readonly #options: NodeExecutorOptions;
  readonly #confinement: Confinement;
  readonly #pidFiles: PidFiles | null;
  readonly #losses: Losses;
  readonly #folder: SandboxFolder;
  readonly #slots: readonly SlotRunner[];
  readonly #alive = new Set<SandboxChild>();
  readonly #pool: ChildPool<SandboxChild>;
  readonly #builtCode: BuiltCode | null;
  #allEnded: (() => void) | null = null;

  constructor(options: NodeExecutorOptions) {
    this.#options = options;
    this.slots = options.slots;
    const nodePath = realpathSync(options.nodePath ?? process.execPath);
    this.#confinement = chooseConfinement(nodePath, options.isolation ?? 'auto');
    this.isolation = this.#confinement.isolation;
    this.#pidFiles =
      options.stateDir === undefined || this.#confinement.endsWithAgent
        ? null
        : new PidFiles(join(options.stateDir, 'sandboxes'));
    this.#pidFiles?.reap();
    this.#losses = options.losses ?? new Losses(performance.now());
    this.#folder = new SandboxFolder(options.stateDir ?? null);
    const { codeDir, childCode } = options;
    const isBuilt = codeDir !== undefined && childCode === undefined;
    this.#builtCode = !isBuilt ? null : new BuiltCode(codeDir, nodePath, narrowingFlags(nodePath));
    this.#pool = new ChildPool({
      start: () => this.#startChild(this.#memoryLimitMb, common),
      most: Math.min(sparesMax, Math.max(2, availableParallelism())),
      areServed: () => this.#slots.every(({ child }) => child?.isReady === true),
    });
    this.#slots = Array.from({ length: options.slots }, (_, index) => this.#createSlot(index));
    for (const slot of this.#slots) slot.warmUp();
  }

  run(slot: number, program: ExecutorProgram, tasks: readonly ExecutorTask[]): void {
    this.#pool.worked();
    this.#builtCode?.worked();
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

  async close(): Promise<void> {
    this.#pool.close();
    this.#builtCode?.close();
    for (const slot of this.#slots) slot.close();
    for (const child of this.#alive) child.kill('closed');
    if (this.#alive.size > 0) {
      await new Promise<void>((resolve) => {
        this.#allEnded = resolve;
      });
    }
    this.#folder.remove();
  }

  /** Memory in MB that the child of a slot holds now beyond that of an idle one; null when there is none. */
  grownMb(slot: number): number | null {
    const { child } = this.#slot(slot);
    child?.watchMemory(performance.now(), 0);
    return child?.grownMb ?? null;
  }

  /** The pids of the children that serve slots now, for diagnosis. */
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
      childrenShareProcess: false,
      withoutChild: 'failed',
      takeChild: (of, memoryMb, serves) => this.#takeChild(of, memoryMb, serves),
      meanTimeBetweenLossesMs: () => this.#losses.meanTimeMs(performance.now()),
      onUnsaved: this.#options.onUnsaved ?? (() => {}),
    });
  }

  get #memoryLimitMb(): number {
    return this.#options.memoryLimitMb ?? defaultTaskMemoryMb;
  }

  /** The spares serve what is common, with the common limit; another child is started when it is needed. */
  #takeChild(listener: ChildListener, memoryMb: number, serves: string): SandboxChild {
    const isCommon = serves === common && memoryMb === this.#memoryLimitMb;
    if (isCommon) return this.#pool.take(listener);
    const child = this.#startChild(memoryMb, serves);
    child.listener = listener;
    return child;
  }

  #startChild(memoryLimitMb: number, serves: string): SandboxChild {
    const { resultLimitBytes, stateLimitBytes } = this.#options;
    this.#folder.makeAgainIfGone();
    const built = this.#builtCode?.found ?? null;
    const code = built ?? this.#options.childCode ?? null;
    const child = new SandboxChild({
      confinement: this.#confinement,
      code,
      emptyFolder: this.#folder.emptyPath,
      ownFolder: this.#folder.path,
      childFolders: this.#folder.childrenPath,
      memoryLimitMb,
      serves,
      settings: {
        sesPath,
        resultLimitBytes: resultLimitBytes ?? defaultResultLimitBytes,
        outputLimitBytes,
        stateLimitBytes: stateLimitBytes ?? defaultStateLimitBytes,
        outputMessagesPerSecond: this.#options.outputMessagesPerSecond ?? defaultOutputMessages,
      },
      onStarted: (pid) => this.#pidFiles?.add(pid),
      onReady: () => this.#builtCode?.buildSoon(),
      onEnded: (ended) => {
        const isCodeToBlame = built !== null && serves === common && !ended.isReady;
        if (isCodeToBlame && isLoss(ended.endCause)) this.#builtCode?.giveUp();
        this.#childEnded(ended);
      },
    });
    this.#alive.add(child);
    return child;
  }

  #childEnded(child: SandboxChild): void {
    this.#alive.delete(child);
    if (child.pid !== undefined) this.#pidFiles?.remove(child.pid);
    if (child.isReady && isLoss(child.endCause)) this.#losses.note();
    if (this.#alive.size === 0) this.#allEnded?.();
  }
}
