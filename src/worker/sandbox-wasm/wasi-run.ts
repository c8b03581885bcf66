// An attempt of an ordinary program: a new instance, the input on stdin, the result on stdout.

import type { GuestRun, GuestStep, GuestTask } from '../sandbox/guest.ts';
import { failure } from './ends.ts';
import {
  exportedFunction,
  type LoadedProgram,
  memoryMostBytes,
  place,
  surround,
} from './loaded-program.ts';
import { WrittenBytes } from './output-text.ts';
import { call, endOf } from './run-ends.ts';
import { savedStateOf } from './saved-state.ts';
import { inputBytes, resultOf } from './values.ts';

export class WasiRun implements GuestRun {
  readonly #loaded: LoadedProgram;
  readonly #task: GuestTask;

  constructor(loaded: LoadedProgram, task: GuestTask) {
    this.#loaded = loaded;
    this.#task = task;
  }

  /** Runs to its end: nobody can look in between. */
  step(): GuestStep {
    const { program } = this.#loaded;
    const task = this.#task;
    const input = inputBytes(task.input, program.input);
    if ('type' in input) return input;
    const state = task.stateJson === null ? null : savedStateOf(task.stateJson);
    if (state === null && task.stateJson !== null) return unreadableState;
    const host = surround(this.#loaded, task, { state });
    const written = new WrittenBytes(task.resultLimitBytes);
    host.openStreams(input, host.resultStream(written));
    const end = call(host, () => exportedFunction(place(this.#loaded, host), '_start')());
    if (end.type === 'thrown') {
      const step = endOf(end.error, host, memoryMostBytes(this.#loaded));
      if (step !== null) return step;
    }
    return resultOf(written.bytes(), program.output, task.resultLimitBytes);
  }
}

export const unreadableState = failure(
  'checkpoint_unreadable',
  'the checkpoint is none of a program of this kind',
);
