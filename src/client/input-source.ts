// The inputs of a streamed job: whether they can be read again, and why reading them ended.

export type Inputs = Iterable<unknown> | AsyncIterable<unknown>;

export class InputSource {
  /** The error with which reading failed. `fetch` would report it as a broken connection. */
  error: { readonly cause: unknown } | undefined;
  /** All inputs have been read. From then on a submission without an answer may have become a job. */
  hasEnded = false;
  readonly #inputs: Inputs;
  readonly #halt: AbortSignal | undefined;
  readonly #isRepeatable: boolean;
  #hasBegun = false;

  /** `halt` ends the reading early, with its reason. It has no effect once all inputs have been read. */
  constructor(inputs: Inputs, halt?: AbortSignal) {
    this.#inputs = inputs;
    this.#halt = halt;
    this.#isRepeatable =
      Array.isArray(inputs) ||
      ArrayBuffer.isView(inputs) ||
      inputs instanceof Set ||
      inputs instanceof Map;
  }

  /** True when the inputs can be read from the start, and are the same then. */
  get canBeginAnew(): boolean {
    return this.error === undefined && (this.#isRepeatable || !this.#hasBegun);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<unknown, void, void> {
    this.#hasBegun = true;
    try {
      if (Symbol.asyncIterator in this.#inputs) yield* this.#asTheyCome(this.#inputs);
      else {
        for (const input of this.#inputs) {
          this.#check();
          yield input;
        }
      }
      this.hasEnded = true;
    } catch (cause) {
      this.error = { cause };
      throw cause;
    }
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
