// A history: what clients have asked and what they were answered, in the order in which calls began and ended. It is
// gathered while a cluster suffers, and judged afterwards (`check.ts`).

export interface Call<Operation> {
  /** Which register it is about: calls of different keys have nothing to do with one another. */
  readonly key: string;
  readonly operation: Operation;
  /** Place among all beginnings and ends of calls. */
  readonly called: number;
  /** The same for its end; `Infinity`: nobody knows its outcome, it may take effect at any time or never. */
  readonly returned: number;
  readonly calledMs: number;
  readonly returnedMs: number;
}

/** What became of a call. `none`: for certain nothing has happened, and nothing was learned. */
export type Outcome<Operation> =
  | { readonly type: 'answered'; readonly operation: Operation }
  | { readonly type: 'unknown'; readonly operation: Operation }
  | { readonly type: 'none' };

export class History<Operation> {
  readonly calls: Call<Operation>[] = [];
  #place = 0;

  /** Makes a call and keeps it, with its answer in the operation. */
  async record(
    key: string,
    perform: () => Promise<Outcome<Operation>>,
  ): Promise<Outcome<Operation>> {
    const called = ++this.#place;
    const calledMs = performance.now();
    const outcome = await perform();
    const returned = ++this.#place;
    if (outcome.type === 'none') return outcome;
    const isKnown = outcome.type === 'answered';
    this.calls.push({
      key,
      operation: outcome.operation,
      called,
      returned: isKnown ? returned : Number.POSITIVE_INFINITY,
      calledMs,
      returnedMs: isKnown ? performance.now() : Number.POSITIVE_INFINITY,
    });
    return outcome;
  }

  get unknown(): number {
    return this.calls.filter(({ returned }) => returned === Number.POSITIVE_INFINITY).length;
  }
}
