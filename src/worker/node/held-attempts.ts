// The attempts that a sandbox child has been given and has not reported on.
//
// Invariant: in the order in which the child runs them, with consecutive numbers. It reports on them
// in this order, and one number says which of them runs.

import type { AttemptKey, ExecutorProgram, ExecutorTask, StopReason } from '../executor.ts';
import { Fifo } from './fifo.ts';

export interface HeldAttempt {
  readonly program: ExecutorProgram;
  readonly task: ExecutorTask;
  /** Counts from 1 within a child. */
  readonly number: number;
  readonly handedAt: number;
  /** When it was first seen to run, null before. */
  seenAt: number | null;
  isStarted: boolean;
  /** It has been said that its state cannot be saved. */
  isUnsaved: boolean;
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

  add(program: ExecutorProgram, task: ExecutorTask, number: number, handedAt: number): void {
    this.#characters += charactersOf(task);
    const untouched = {
      seenAt: null,
      isStarted: false,
      isUnsaved: false,
      stop: null,
      killAt: null,
    };
    this.#attempts.push({ program, task, number, handedAt, ...untouched });
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
