// Attempts of a program of calls: one instance goes from task to task, until one of them has left it in the middle of
// something.

import type { GuestRun, GuestStep, GuestTask } from '../sandbox/guest.ts';
import { failure } from './ends.ts';
import type { ExportedFunction } from './engine.ts';
import { handIn, partOf } from './handed-bytes.ts';
import {
  exportedFunction,
  initialize,
  type LoadedProgram,
  memoryMostBytes,
  type Placed,
  place,
  surround,
} from './loaded-program.ts';
import { call, endOf } from './run-ends.ts';
import { savedStateOf } from './saved-state.ts';
import { inputBytes, resultOf } from './values.ts';
import { unreadableState } from './wasi-run.ts';

interface CalledInstance extends Placed {
  readonly alloc: ExportedFunction;
  readonly run: ExportedFunction;
}

const resultOutside = failure(
  'wasm_trap',
  'muster_run gave a result that lies outside of its memory',
);
const exitedInstead = failure(
  'exit_code',
  'exit code 0: the program has exited instead of returning',
);

/** Takes the runs of one program, one after the other. */
export class CalledProgram {
  readonly #loaded: LoadedProgram;
  #instance: CalledInstance | null = null;

  constructor(loaded: LoadedProgram) {
    this.#loaded = loaded;
  }

  begin(task: GuestTask): GuestRun {
    return { step: () => this.#run(task) };
  }

  forget(): void {
    this.#instance = null;
  }

  #run(task: GuestTask): GuestStep {
    const { program } = this.#loaded;
    const input = inputBytes(task.input, program.input);
    if ('type' in input) return input;
    const state = task.stateJson === null ? null : savedStateOf(task.stateJson);
    if (state === null && task.stateJson !== null) return unreadableState;
    const kept = this.#instance;
    // Only a task that returns gives it back.
    this.#instance = null;
    const host = kept?.host ?? surround(this.#loaded, task, { state });
    if (kept !== null) host.turnTo(task, { state });
    let used = kept;
    const end = call(host, () => {
      used ??= this.#make(host);
      return runOnce(used, input);
    });
    if (end.type === 'thrown') {
      return endOf(end.error, host, memoryMostBytes(this.#loaded)) ?? exitedInstead;
    }
    const result = partOf(host, end.value);
    if (result === null) return resultOutside;
    this.#instance = used;
    return resultOf(result, program.output, task.resultLimitBytes);
  }

  #make(host: Placed['host']): CalledInstance {
    host.openStreams(new Uint8Array(0), host.terminal());
    const placed = place(this.#loaded, host);
    initialize(placed);
    const [alloc, run] = ['muster_alloc', 'muster_run'].map((name) =>
      exportedFunction(placed, name),
    );
    return { ...placed, alloc: alloc!, run: run! };
  }
}

function runOnce({ host, alloc, run }: CalledInstance, input: Uint8Array): unknown {
  const pointer = handIn(host, alloc, input);
  return pointer === null ? null : run(pointer, input.length);
}
