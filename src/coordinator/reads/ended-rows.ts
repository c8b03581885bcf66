// The attempts of one job that are over, as the store has them: completed ones are rows of their tasks, the others
// rows of their own. Both are read by the page and merged in the order of index and number.

import type { AttemptRow, TaskRow } from '../../store/rows.ts';
import type { Reading } from '../../store/reading.ts';

export interface EndedRow {
  readonly index: number;
  readonly attempt: number;
  /** Set when its result was accepted. */
  readonly accepted: TaskRow | null;
  /** Set when it did not succeed; both: it had been given up, and its result came late. */
  readonly ended: AttemptRow | null;
}

type Source = Pick<Reading, 'listAccepted' | 'listJobAttempts'>;

/** Rows of one read, so that a piece of the answer is about 64 KiB and made in one or two milliseconds. */
const pageRows = 128;

/** In chunks, each of at most one read of either kind; a chunk may be empty. */
export async function* endedRows(
  store: Source,
  jobKey: number,
): AsyncGenerator<readonly EndedRow[], void, void> {
  const accepted = new Cursor<TaskRow>((last) =>
    store.listAccepted(jobKey, last === undefined ? 0 : last.index + 1, pageRows),
  );
  const ended = new Cursor<AttemptRow>((last) =>
    store.listJobAttempts(jobKey, last ?? null, pageRows),
  );
  for (;;) {
    await accepted.fill();
    await ended.fill();
    const rows: EndedRow[] = [];
    while (accepted.isReady && ended.isReady) {
      const [row, attempt] = [accepted.first, ended.first];
      if (row === undefined && attempt === undefined) break;
      rows.push(next(accepted, ended));
    }
    yield rows;
    if (accepted.isOver && ended.isOver) return;
  }
}

function next(accepted: Cursor<TaskRow>, ended: Cursor<AttemptRow>): EndedRow {
  const [row, attempt] = [accepted.first, ended.first];
  const order = compare(row, attempt);
  if (order <= 0) accepted.take();
  if (order >= 0) ended.take();
  const taken = order <= 0 ? row : undefined;
  const failed = order >= 0 ? attempt : undefined;
  return {
    index: (taken ?? failed)!.index,
    attempt: taken?.acceptedAttempt ?? failed?.attempt ?? 0,
    accepted: taken ?? null,
    ended: failed ?? null,
  };
}

/** Below 0: the accepted attempt comes first. 0: they are the same attempt. */
function compare(row: TaskRow | undefined, attempt: AttemptRow | undefined): number {
  if (row === undefined) return 1;
  if (attempt === undefined) return -1;
  return row.index - attempt.index || (row.acceptedAttempt ?? 0) - attempt.attempt;
}

/** A list that is read by the page. */
class Cursor<R> {
  readonly #read: (last: R | undefined) => Promise<readonly R[]>;
  #page: readonly R[] = [];
  #at = 0;
  #isLast = false;

  constructor(read: (last: R | undefined) => Promise<readonly R[]>) {
    this.#read = read;
  }

  /** Its first row is known, or that there is none. */
  get isReady(): boolean {
    return this.#at < this.#page.length || this.#isLast;
  }

  get isOver(): boolean {
    return this.#isLast && this.#at === this.#page.length;
  }

  get first(): R | undefined {
    return this.#page[this.#at];
  }

  take(): void {
    this.#at++;
  }

  async fill(): Promise<void> {
    if (this.isReady) return;
    this.#page = await this.#read(this.#page.at(-1));
    this.#at = 0;
    this.#isLast = this.#page.length < pageRows;
  }
}
