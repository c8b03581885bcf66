// The inputs of a streamed job, as far as they can be read again, and why reading them ended.

export type Inputs = Iterable<unknown> | AsyncIterable<unknown>;

export class InputSource {
  /** Why reading failed: `fetch` reports that as a broken connection. */
  error: { readonly cause: unknown } | undefined;
  /** Every input has been read: a submission that got no answer may have become a job. */
  hasEnded = false;
  readonly #inputs: Inputs;
  readonly #halt: AbortSignal | undefined;
  readonly #isRepeatable: boolean;
  #hasBegun = false;

  /** `halt` ends the reading early, with its reason; no longer once every input has been read. */
  constructor(inputs: Inputs, halt?: AbortSignal) {
    this.#inputs = inputs;
    this.#halt = halt;
    this.#isRepeatable =
      Array.isArray(inputs) ||
      ArrayBuffer.isView(inputs) ||
      inputs instanceof Set ||
      inputs instanceof Map;
  }

  /** Another reading gives the same inputs. */
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

  /** An iterable that waits for something does not keep a halt waiting. */
  async *#asTheyCome(inputs: AsyncIterable<unknown>): AsyncGenerator<unknown, void, void> {
    const iterator = inputs[Symbol.asyncIterator]();
    let rejectStep: ((reason: unknown) => void) | undefined;
    const halt = () => rejectStep?.(this.#halt?.reason);
    this.#halt?.addEventListener('abort', halt);
    let isDone = false;
    try {
      for (;;) {
        this.#check();
        // Not `Promise.race`: a promise that outlives the race remembers every racer.
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
      // Not awaited: it may hang in what it was waiting for.
      if (!isDone) void iterator.return?.().catch(() => {});
    }
  }

  #check(): void {
    if (!this.hasEnded) this.#halt?.throwIfAborted();
  }
}
