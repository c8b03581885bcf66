// The executor of a PC worker: a warm sandbox child per slot, and one spare that hides the start of
// the next.

import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type {
  AttemptKey,
  Executor,
  ExecutorListener,
  ExecutorProgram,
  ExecutorTask,
  StopReason,
} from '../executor.ts';
import { type BubblewrapUse, chooseConfinement, type Confinement } from './confinement.ts';
import { sesPath } from './entry-points.ts';
import { PidFiles } from './pid-files.ts';
import { type ChildOwner, SandboxChild } from './sandbox-child.ts';
import { Slot } from './slot.ts';

export interface NodeExecutorOptions {
  readonly slots: number;
  readonly listener: ExecutorListener;
  /** What task code may take, in MB, beyond what an idle child holds (about 60). */
  readonly memoryLimitMb?: number;
  readonly resultLimitBytes?: number;
  /** How long a stopped attempt may take to its next yield before its child is ended. */
  readonly softKillMs?: number;
  /** Offer a checkpoint so often; null for never. */
  readonly checkpointIntervalMs?: number | null;
  readonly nodePath?: string;
  /** `auto`: where it works. `require`: throws where it does not. */
  readonly bubblewrap?: BubblewrapUse;
  /** Keeps the pids of children there where the kernel does not end them with the agent. */
  readonly stateDir?: string;
  /** Receives what a task printed, capped at 64 KiB, just before its outcome. */
  readonly onOutput?: (slot: number, key: AttemptKey, text: string) => void;
}

const defaultMemoryLimitMb = 512;
const defaultResultLimitBytes = 1024 * 1024;
const defaultSoftKillMs = 500;
const outputLimitBytes = 64 * 1024;

export function createNodeExecutor(options: NodeExecutorOptions): NodeExecutor {
  return new NodeExecutor(options);
}

export class NodeExecutor implements Executor {
  readonly slots: number;
  readonly isolation: string;
  readonly #options: NodeExecutorOptions;
  readonly #confinement: Confinement;
  readonly #pidFiles: PidFiles | null;
  readonly #folder: string;
  readonly #emptyFolder: string;
  readonly #slots: readonly Slot[];
  readonly #alive = new Set<SandboxChild>();
  #spare: SandboxChild | null = null;
  #isClosed = false;
  #allEnded: (() => void) | null = null;

  constructor(options: NodeExecutorOptions) {
    this.#options = options;
    this.slots = options.slots;
    const nodePath = options.nodePath ?? process.execPath;
    this.#confinement = chooseConfinement(nodePath, options.bubblewrap ?? 'auto');
    this.isolation = this.#confinement.isolation;
    this.#pidFiles =
      options.stateDir === undefined || this.#confinement.endsWithAgent
        ? null
        : new PidFiles(join(options.stateDir, 'sandboxes'));
    this.#pidFiles?.reap();
    this.#folder = mkdtempSync(join(tmpdir(), 'muster-sandbox-'));
    this.#emptyFolder = join(this.#folder, 'empty');
    mkdirSync(this.#emptyFolder);
    chmodSync(this.#emptyFolder, 0o555);
    this.#slots = Array.from({ length: options.slots }, (_, index) => this.#createSlot(index));
    for (const slot of this.#slots) slot.warmUp();
  }

  run(slot: number, program: ExecutorProgram, tasks: readonly ExecutorTask[]): void {
    this.#slot(slot).run(program, tasks);
  }

  stop(slot: number, key: AttemptKey, reason: StopReason): void {
    this.#slot(slot).stop(key, reason);
  }

  forget(jobId: string): void {
    for (const slot of this.#slots) slot.forget(jobId);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const slot of this.#slots) slot.close();
    for (const child of this.#alive) child.kill('closed');
    if (this.#alive.size > 0) {
      await new Promise<void>((resolve) => {
        this.#allEnded = resolve;
      });
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** The pids of the children that serve slots now, for diagnosis. */
  childPids(): readonly number[] {
    return this.#slots.flatMap(({ child }) => child?.pid ?? []);
  }

  #slot(index: number): Slot {
    const slot = this.#slots[index];
    if (slot === undefined) throw new RangeError(`there is no slot ${index}`);
    return slot;
  }

  #createSlot(index: number): Slot {
    const { listener, onOutput, softKillMs, memoryLimitMb } = this.#options;
    return new Slot({
      index,
      listener,
      onOutput: onOutput ?? null,
      softKillMs: softKillMs ?? defaultSoftKillMs,
      memoryLimitMb: memoryLimitMb ?? defaultMemoryLimitMb,
      takeChild: (owner) => this.#takeChild(owner),
    });
  }

  #takeChild(owner: ChildOwner): SandboxChild {
    const child = this.#spare ?? this.#startChild();
    this.#spare = null;
    if (child.isReady) this.#startSpare();
    child.owner = {
      childReady: (ready) => {
        owner.childReady(ready);
        this.#startSpare();
      },
      childSaid: (speaker, message) => {
        owner.childSaid(speaker, message);
      },
      childEnded: (ended) => {
        owner.childEnded(ended);
      },
    };
    return child;
  }

  /** Not before the children of all slots are ready: they come first. */
  #startSpare(): void {
    const isWaiting = this.#slots.some(({ child }) => child?.isReady === false);
    if (this.#spare !== null || isWaiting || this.#isClosed) return;
    this.#spare = this.#startChild();
  }

  #startChild(): SandboxChild {
    const { memoryLimitMb, resultLimitBytes, checkpointIntervalMs, onOutput } = this.#options;
    const child = new SandboxChild({
      confinement: this.#confinement,
      emptyFolder: this.#emptyFolder,
      ownFolder: this.#folder,
      memoryLimitMb: memoryLimitMb ?? defaultMemoryLimitMb,
      settings: {
        sesPath,
        resultLimitBytes: resultLimitBytes ?? defaultResultLimitBytes,
        outputLimitBytes,
        checkpointIntervalMs: checkpointIntervalMs ?? null,
        sendOutput: onOutput !== undefined,
      },
      onStarted: (pid) => this.#pidFiles?.add(pid),
      onEnded: (ended) => {
        this.#childEnded(ended);
      },
    });
    this.#alive.add(child);
    return child;
  }

  #childEnded(child: SandboxChild): void {
    this.#alive.delete(child);
    if (child.pid !== undefined) this.#pidFiles?.remove(child.pid);
    if (this.#spare === child) this.#spare = null;
    if (this.#alive.size === 0) this.#allEnded?.();
  }
}
