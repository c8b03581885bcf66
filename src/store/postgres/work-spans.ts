// Sums of the work of hours and days that are over. A kept sum changes no answer: it is what the rows give, and goes
// with the commit that changes one of them, or what may be seen of them. Who makes one announces it first: then it is
// kept only if no such commit came in between.

import { randomUUID } from 'node:crypto';
import type { JobsAsked } from '../reading.ts';
import type { WorkSum, WriteBatch } from '../rows.ts';
import { spansMs } from '../sums.ts';
import { isLocked } from './driver/faults.ts';
import type { Reader } from './driver/reader.ts';
import type { Statement } from './driver/statement.ts';
import {
  announceSum,
  dropChanged,
  firstUnsummedDay,
  keepSum,
  listUnsummedHours,
  sumWorkOf,
  type WorkSpan,
} from './tables/work-sum-table.ts';

const [dayMs, hourMs] = spansMs;

export class WorkSpans {
  readonly #reader: Reader;
  /** The round of `sumNext` that goes on. */
  #round: AsyncGenerator<void> | undefined;

  constructor(reader: Reader) {
    this.#reader = reader;
  }

  /** Of all buckets from `from` to before `to`, in the order of workers. */
  async sum(from: number, to: number, asked: JobsAsked): Promise<readonly WorkSum[]> {
    const sums = await sumWorkOf(this.#reader.query, from, to, asked);
    // The server compares bytes, and some characters stand elsewhere by them.
    return sums.sort((a, b) => (a.workerId < b.workerId ? -1 : 1));
  }

  /** Makes the next sum of a round; false at its end. */
  async sumNext(now: number): Promise<boolean> {
    this.#round ??= this.#makeSums(now);
    try {
      const { done = false } = await this.#round.next();
      if (done) this.#round = undefined;
      return !done;
    } catch (error) {
      this.#round = undefined;
      // A commit takes its time. The next round is early enough.
      if (isLocked(error)) return false;
      throw error;
    }
  }

  /** What a commit writes, behind all else, so that no sum is kept that is not true any more. */
  changed(batch: WriteBatch): Statement[] {
    return dropChanged(batch);
  }

  /** Of every hour and day that is over and has none: each once, even if it is dropped again meanwhile. */
  async *#makeSums(now: number): AsyncGenerator<void> {
    const { query } = this.#reader;
    for (let from = -Infinity; ; ) {
      const day = await firstUnsummedDay(query, from);
      if (day === undefined) return;
      for (const beginsAt of await listUnsummedHours(query, day, now)) {
        await this.#make({ spanMs: hourMs, beginsAt });
        yield;
      }
      if (day + dayMs > now) return;
      await this.#make({ spanMs: dayMs, beginsAt: day });
      yield;
      from = day + dayMs;
    }
  }

  async #make(span: WorkSpan): Promise<void> {
    const { spanMs, beginsAt } = span;
    const reader = this.#reader;
    const draft = randomUUID();
    await reader.writeUnsynced((query) => announceSum(query, span, draft));
    const sums = await sumWorkOf(reader.query, beginsAt, beginsAt + spanMs, {});
    await reader.writeUnsynced((query) => keepSum(query, span, draft, sums));
  }
}
