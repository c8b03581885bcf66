// An attempt of a program in steps: it is called again and again until it is done. Between two steps it can be left, and
// its memory is its checkpoint.

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
import { type ImageOf, imageJsonOf, readImage, restore } from './memory-image.ts';
import { call, type CallEnd, endOf } from './run-ends.ts';
import { inputBytes, resultOf } from './values.ts';
import { unreadableState } from './wasi-run.ts';

const nothing = new Uint8Array(0);
/** When an image was too large, the next one hardly is smaller. */
const nextTryMs = 60_000;

const resultOutside = failure(
  'wasm_trap',
  'muster_result gave a result that lies outside of its memory',
);
const exitedInstead = failure(
  'exit_code',
  'exit code 0: the program has exited instead of returning',
);

interface SteppedInstance extends Placed {
  readonly stepOnce: ExportedFunction;
}

export class StepsRun implements GuestRun {
  readonly #loaded: LoadedProgram;
  readonly #task: GuestTask;
  #used: SteppedInstance | null = null;
  #nextImageAt = -Infinity;

  constructor(loaded: LoadedProgram, task: GuestTask) {
    this.#loaded = loaded;
    this.#task = task;
  }

  step(sliceMs: number): GuestStep {
    const { nowMs } = this.#loaded;
    const sliceEnd = nowMs() + sliceMs;
    const begun = this.#used ?? this.#begin();
    if ('type' in begun) return begun;
    this.#used = begun;
    const { host, stepOnce } = begun;
    for (;;) {
      if (this.#task.isStopped()) {
        this.#offerImage(begun);
        return { type: 'stopped' };
      }
      if (this.#task.isCheckpointDue()) this.#offerImage(begun);
      const end = call(host, () => stepOnce());
      if (end.type === 'thrown') return this.#ended(end, begun);
      if (end.value !== 0) return this.#result(begun);
      if (nowMs() >= sliceEnd) return { type: 'more' };
    }
  }

  #begin(): SteppedInstance | GuestStep {
    const task = this.#task;
    const { program, bounded } = this.#loaded;
    const input = inputBytes(task.input, program.input);
    if ('type' in input) return input;
    const image = task.stateJson === null ? null : readImage(task.stateJson);
    if (image === null && task.stateJson !== null) return unreadableState;
    const state = image === null ? null : { bytes: nothing, random: image.random };
    const host = surround(this.#loaded, task, { state, passedNs: image?.passedNs ?? 0n });
    // It can be left at the end of its step, which is better than in the middle.
    host.stop.asked();
    host.openStreams(nothing, host.terminal());
    let placed: SteppedInstance | null = null;
    let isRestored = true;
    const end = call(host, () => {
      placed = this.#make(host);
      if (image === null) this.#start(placed, input);
      else isRestored = restore(this.#imageOf(placed), image, bounded.pagesMost);
    });
    if (!isRestored) return unreadableState;
    if (end.type === 'thrown' || placed === null) return this.#ended(end, { host });
    return placed;
  }

  #make(host: Placed['host']): SteppedInstance {
    const placed = place(this.#loaded, host);
    return { ...placed, stepOnce: exportedFunction(placed, 'muster_step') };
  }

  #start(placed: Placed, input: Uint8Array): void {
    initialize(placed);
    const pointer = handIn(placed.host, exportedFunction(placed, 'muster_alloc'), input);
    if (pointer !== null) exportedFunction(placed, 'muster_begin')(pointer, input.length);
  }

  #result(placed: Placed): GuestStep {
    const { host } = placed;
    const end = call(host, () => exportedFunction(placed, 'muster_result')());
    if (end.type === 'thrown') return this.#ended(end, placed);
    const result = partOf(host, end.value);
    if (result === null) return resultOutside;
    return resultOf(result, this.#loaded.program.output, this.#task.resultLimitBytes);
  }

  #ended(end: CallEnd, { host }: Pick<Placed, 'host'>): GuestStep {
    const error = end.type === 'thrown' ? end.error : null;
    return endOf(error, host, memoryMostBytes(this.#loaded)) ?? exitedInstead;
  }

  /** What the program has open is not in its memory: it must have closed its files. */
  #offerImage(placed: Placed): void {
    const { host } = placed;
    const now = this.#loaded.nowMs();
    if (now < this.#nextImageAt || !this.#task.isCheckpointDue()) return;
    const { stateLimitBytes, offer } = this.#task;
    const taken = { passedNs: host.clock.passedNs, random: host.random.state() };
    const json = host.descriptors.hasOpened
      ? null
      : imageJsonOf(this.#imageOf(placed), taken, stateLimitBytes);
    if (json !== null) return offer(json);
    this.#nextImageAt = now + nextTryMs;
    const why = host.descriptors.hasOpened
      ? 'it has files open between two steps'
      : `its memory does not go into ${stateLimitBytes} bytes`;
    host.printed.say(`no checkpoint of this program: ${why}`);
  }

  #imageOf({ instance, host }: Placed): ImageOf {
    return { instance, memory: host.memory, globals: this.#loaded.bounded.globals };
  }
}
