// The inputs of a streamed job as JSON texts: whether they can be read again, and why reading them ended.
// What JSON would change is refused with its place: of an array before anything is sent, of what can be read
// only once when it is read.

import { payloadText, RawJson } from '../protocol/codec.ts';
import { NotJsonError } from './errors.ts';
import { jsonFault } from './json-fault.ts';
import type { LargeInputs } from './large-inputs.ts';

export type Inputs = Iterable<unknown> | AsyncIterable<unknown>;

/** Inputs that are `count` whole numbers from `start` on. */
export interface InputRange {
  readonly range: { readonly start: number; readonly count: number };
}

export class InputSource {
  /** The error with which reading failed. `fetch` would report it as a broken connection. */
  error: { readonly cause: unknown } | undefined;
  /** All inputs have been read. From then on a submission without an answer may have become a job. */
  hasEnded = false;
  readonly #inputs: Inputs;
  readonly #large: LargeInputs;
  readonly #halt: AbortSignal | undefined;
  /** The inputs can be read as often as need be. */
  readonly isRepeatable: boolean;
  #hasBegun = false;
  #isChecked = false;

  /** `large` may put something shorter in the place of a long input. `halt` ends the reading early, with its reason. It has no effect once all inputs have been read. */
  constructor(inputs: Inputs, large: LargeInputs, halt?: AbortSignal) {
    this.#inputs = inputs;
    this.#large = large;
    this.#halt = halt;
    this.isRepeatable =
      Array.isArray(inputs) ||
      ArrayBuffer.isView(inputs) ||
      inputs instanceof Set ||
      inputs instanceof Map;
  }

  /** True when the inputs can be read from the start, and are the same then. */
  get canBeginAnew(): boolean {
    return this.error === undefined && (this.isRepeatable || !this.#hasBegun);
  }

  /** Throws a `NotJsonError` about the first input that is not JSON, if that is found without reading them. */
  check(): void {
    if (!this.isRepeatable || Symbol.asyncIterator in this.#inputs) return;
    let index = 0;
    for (const input of this.#inputs) assertJson(input, index++);
    this.#isChecked = true;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<string, void, void> {
    this.#hasBegun = true;
    try {
      let index = 0;
      const given = this.#inputs;
      if (Symbol.asyncIterator in given) {
        for await (const input of this.#asTheyCome(given)) {
          if (input instanceof Uint8Array) yield await this.#large.bytesToSend(input, index);
          else {
            const text = this.#textOf(input, index);
            yield this.#large.isShort(text) ? text : await this.#large.toSend(text, index);
          }
          index++;
        }
      } else {
        for (const input of given) {
          this.#check();
          if (input instanceof Uint8Array) yield await this.#large.bytesToSend(input, index);
          else {
            const text = this.#textOf(input, index);
            yield this.#large.isShort(text) ? text : await this.#large.toSend(text, index);
          }
          index++;
        }
      }
      this.hasEnded = true;
    } catch (cause) {
      this.error = { cause };
      throw cause;
    }
  }

  #textOf(input: unknown, index: number): string {
    if (!this.#isChecked) assertJson(input, index);
    return payloadText(input);
  }

  /** `halt` takes effect at once, also while the iterable waits for something. */
  async *#asTheyCome(inputs: AsyncIterable<unknown>): AsyncGenerator<unknown, void, void> {
    const iterator = inputs[Symbol.asyncIterator]();
    let rejectStep: ((reason: unknown) => void) | undefined;
    const halt = () => rejectStep?.(this.#halt?.reason);
    this.#halt?.addEventListener('abort', halt);
    let isDone = false;
    try {
      for (;;) {
        this.#check();
        // Not `Promise.race`: a long-lived promise in it would keep a reaction for every race.
        const step = await new Promise<IteratorResult<unknown, unknown>>((resolve, reject) => {
          rejectStep = reject;
          iterator.next().then(resolve, reject);
        });
        isDone = step.done === true;
        if (isDone) return;
        yield step.value;
      }
    } finally {
      this.#halt?.removeEventListener('abort', halt);
      // Not awaited: the iterator may still be waiting for its next input.
      if (!isDone) void iterator.return?.().catch(() => {});
    }
  }

  #check(): void {
    if (!this.hasEnded) this.#halt?.throwIfAborted();
  }
}

/** Takes one out of the list of inputs. JSON text that somebody has checked is not looked at, nor are bytes. */
export function assertJson(input: unknown, index: number): void {
  if (input instanceof RawJson || input instanceof Uint8Array) return;
  const fault = jsonFault(input, `inputs[${index}]`);
  if (fault !== null) throw new NotJsonError(fault);
}

/** Throws a `TypeError` when the value is nothing that inputs can be read from. */
export function assertInputs(inputs: unknown): asserts inputs is Inputs {
  if (typeof inputs === 'string') {
    throw new TypeError(
      'The inputs are a string: put it into an array, or spread it for an input per character.',
    );
  }
  const isObject = typeof inputs === 'object' && inputs !== null;
  if (isObject && (Symbol.iterator in inputs || Symbol.asyncIterator in inputs)) return;
  const advice = isObject && 'then' in inputs ? 'await it' : 'put it into an array';
  throw new TypeError(
    `The inputs are ${describe(inputs)}, which cannot be iterated: ${advice}, or give { range: { start, count } }.`,
  );
}

function describe(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (typeof value !== 'object') return `a ${typeof value}`;
  return 'then' in value ? 'a promise' : 'an object';
}
