// The attempts that were handed to a sandbox child and that it has not reported on.
//
// Invariant: they are in the order in which the child runs them and have consecutive numbers. The child
// reports on them in this order, and writes down the number of the one that runs.

import type { AttemptKey, ExecutorProgram, ExecutorTask, StopReason } from '../executor.ts';
import type { CapturedOutput } from '../sandbox/captured-output.ts';
import { Fifo } from './fifo.ts';

/** An attempt that waits in its slot for a child. */
export interface QueuedAttempt {
  readonly program: ExecutorProgram;
  readonly task: ExecutorTask;
  /** Null when no child has run it before. */
  readonly again: FurtherTry | null;
}

/**
 * The attempt goes on from its newest checkpoint. Outside of the executor it is still the same attempt.
 * - A child ended while it ran it, and another job may have been the cause: once more, in a child that has run
 *   nothing, with its whole time limit.
 * - A guest has left a checkpoint and wants to be run again from there: in any child, for the rest of its time.
 */
export interface FurtherTry {
  /** In a child that has run nothing. */
  readonly isFirst: boolean;
  /** What the tries before have taken of its time limit. */
  readonly ranMs: number;
  /** Sequence of the last checkpoint before. */
  readonly sequence: number;
  readonly isStarted: boolean;
  readonly isUnsaved: boolean;
}

export interface ChildAttempt {
  readonly program: ExecutorProgram;
  readonly task: ExecutorTask;
  /** Number of the attempt within its child, from 1. */
  readonly number: number;
  readonly handedAt: number;
  /** True when attempts of other jobs ran in this child before. */
  readonly isShared: boolean;
  /** What it came with. */
  readonly again: FurtherTry | null;
  /** When the slot first saw that it runs, null before. */
  seenAt: number | null;
  isStarted: boolean;
  /** A further try may need its checkpoint. */
  readonly mayGoOn: boolean;
  /** It was reported already that its state cannot be saved. */
  isUnsaved: boolean;
  /** Sequence of its newest checkpoint, counted over both tries; 0 before the first. */
  sequence: number;
  /** Its newest checkpoint from this child; kept only where a further try may need it. */
  checkpoint: { readonly stateJson: string; readonly progress: number } | null;
  /** What it has printed so far; null: nothing. */
  output: CapturedOutput | null;
  stop: StopReason | 'deadline' | null;
  /** When its child will be ended because it does not give way. */
  killAt: number | null;
}

/** What its tries before have taken of its time limit. */
export function spentMs({ again }: ChildAttempt): number {
  return again?.ranMs ?? 0;
}

/** A last checkpoint is of use only if the task will be resumed. */
export function wantsLastCheckpoint(stop: StopReason | 'deadline'): boolean {
  return stop === 'leaving' || stop === 'deadline';
}

const attemptsLimit = 256;
/** An attempt that is larger is handed over alone. */
const charactersLimit = 1024 * 1024;

export class ChildAttempts {
  readonly #attempts = new Fifo<ChildAttempt>();
  #characters = 0;

  get isEmpty(): boolean {
    return this.#attempts.length === 0;
  }

  hasRoomFor(task: ExecutorTask): boolean {
    if (this.isEmpty) return true;
    const characters = this.#characters + charactersOf(task);
    return this.#attempts.length < attemptsLimit && characters <= charactersLimit;
  }

  add(
    { program, task, again }: QueuedAttempt,
    number: number,
    handedAt: number,
    isShared: boolean,
  ): void {
    this.#characters += charactersOf(task);
    this.#attempts.push({
      program,
      task,
      number,
      handedAt,
      isShared,
      mayGoOn: isShared || program.kind !== 'javascript',
      again,
      seenAt: null,
      isStarted: again?.isStarted ?? false,
      isUnsaved: again?.isUnsaved ?? false,
      sequence: again?.sequence ?? 0,
      checkpoint: null,
      output: null,
      stop: null,
      killAt: null,
    });
  }

  first(): ChildAttempt | undefined {
    return this.#attempts.at(0);
  }

  removeFirst(): void {
    const attempt = this.#attempts.shift();
    if (attempt !== undefined) this.#characters -= charactersOf(attempt.task);
  }

  byNumber(number: number): ChildAttempt | undefined {
    return this.#attempts.at(number - (this.first()?.number ?? 0));
  }

  byKey(key: AttemptKey): ChildAttempt | undefined {
    return this.#attempts.find(({ task }) => task.key === key);
  }

  /** Takes everything out. */
  drain(): ChildAttempt[] {
    this.#characters = 0;
    return this.#attempts.drain();
  }
}

function charactersOf(task: ExecutorTask): number {
  const { inputJson, inputBytes, stateJson } = task;
  return inputJson.length + (inputBytes?.length ?? 0) + (stateJson?.length ?? 0);
}
