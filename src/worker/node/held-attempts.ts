// The attempts that a sandbox child has been given and has not reported on.
//
// Invariant: in the order in which the child runs them, with consecutive numbers. It reports on them
// in this order, and one number says which of them runs.

import type { AttemptKey, ExecutorProgram, ExecutorTask, StopReason } from '../executor.ts';
import { Fifo } from './fifo.ts';

/** An attempt on its way to a child. */
export interface Queued {
  readonly program: ExecutorProgram;
  readonly task: ExecutorTask;
  /** Null: it was never handed to a child. */
  readonly again: SecondTry | null;
}

/**
 * A child ended under the attempt, and another job may have been the cause: it runs once more, in a
 * child that has run nothing, from the newest checkpoint, and with its whole time: what the first try
 * took was not its fault. To everybody else it is still the same attempt.
 */
export interface SecondTry {
  /** Its checkpoints count on from here. */
  readonly sequence: number;
  readonly isStarted: boolean;
  readonly isUnsaved: boolean;
}

export interface HeldAttempt {
  readonly program: ExecutorProgram;
  readonly task: ExecutorTask;
  /** Counts from 1 within a child. */
  readonly number: number;
  readonly handedAt: number;
  /** Attempts of other jobs ran in this child before. */
  readonly isShared: boolean;
  readonly isSecondTry: boolean;
  /** When it was first seen to run, null before. */
  seenAt: number | null;
  isStarted: boolean;
  /** It has been said that its state cannot be saved. */
  isUnsaved: boolean;
  /** Of its newest checkpoint, all tries counted; 0 before the first. */
  sequence: number;
  /** Its newest checkpoint from this child; kept only where a second try may need it. */
  checkpoint: { readonly stateJson: string; readonly progress: number } | null;
  stop: StopReason | 'deadline' | null;
  /** When its child will be ended because it does not give way. */
  killAt: number | null;
}

const attemptsLimit = 256;
/** One larger attempt goes alone. */
const charactersLimit = 1024 * 1024;

export class HeldAttempts {
  readonly #attempts = new Fifo<HeldAttempt>();
  #characters = 0;

  get isEmpty(): boolean {
    return this.#attempts.length === 0;
  }

  hasRoomFor(task: ExecutorTask): boolean {
    if (this.isEmpty) return true;
    const characters = this.#characters + charactersOf(task);
    return this.#attempts.length < attemptsLimit && characters <= charactersLimit;
  }

  add({ program, task, again }: Queued, number: number, handedAt: number, isShared: boolean): void {
    this.#characters += charactersOf(task);
    const begun = again ?? { sequence: 0, isStarted: false, isUnsaved: false };
    const untouched = { seenAt: null, checkpoint: null, stop: null, killAt: null };
    const about = { number, handedAt, isShared, isSecondTry: again !== null };
    this.#attempts.push({ program, task, ...about, ...begun, ...untouched });
  }

  first(): HeldAttempt | undefined {
    return this.#attempts.at(0);
  }

  removeFirst(): void {
    const attempt = this.#attempts.shift();
    if (attempt !== undefined) this.#characters -= charactersOf(attempt.task);
  }

  byNumber(number: number): HeldAttempt | undefined {
    return this.#attempts.at(number - (this.first()?.number ?? 0));
  }

  byKey(key: AttemptKey): HeldAttempt | undefined {
    return this.#attempts.find(({ task }) => task.key === key);
  }

  /** Takes everything out. */
  drain(): HeldAttempt[] {
    this.#characters = 0;
    return this.#attempts.drain();
  }
}

function charactersOf(task: ExecutorTask): number {
  return task.inputJson.length + (task.stateJson?.length ?? 0);
}
