// Work of all jobs: hours and days that are over are kept as sums, rows are read where there is none. A kept
// sum changes no answer: it is what the rows give (`sums.ts`), and is dropped when one of them changes.

import type { WorkRow, WorkSum } from '../rows.ts';
import { spanBegin, spansMs, WorkSums } from '../sums.ts';
import type { Connection } from './connection.ts';
import type { Tables } from './tables/tables.ts';
import type { WorkPlace } from './tables/work-table.ts';
import { Turns } from '../turns.ts';
import { pageRows, VisibleRows } from './visible-rows.ts';

const [dayMs, hourMs] = spansMs;

export class WorkSpans {
  readonly #connection: Connection;
  readonly #tables: Tables;
  readonly #rows: VisibleRows;
  /** The round of `sumNext` that goes on. */
  #round: AsyncGenerator<void> | undefined;

  constructor(connection: Connection, tables: Tables) {
    this.#connection = connection;
    this.#tables = tables;
    this.#rows = new VisibleRows(connection, tables.jobs);
  }

  /** Of all buckets from `from` to before `to`. */
  async sum(from: number, to: number): Promise<readonly WorkSum[]> {
    const sums = new WorkSums();
    const begun = await this.#connection.read((generation) => generation);
    await this.#add(sums, new Turns(), spansMs, from, to);
    // What was read before the database was cleared no longer counts.
    return this.#connection.read((generation) => (generation === begun ? sums.list() : []));
  }

  /** Makes the next sum of a round; false at its end. */
  async sumNext(now: number): Promise<boolean> {
    this.#round ??= this.#makeSums(now);
    const { done = false } = await this.#round.next();
    if (done) this.#round = undefined;
    return !done;
  }

  /** Of every hour and day that is over and has none: each once, even if it is dropped again meanwhile. */
  async *#makeSums(now: number): AsyncGenerator<void> {
    const { work, workSums } = this.#tables;
    const turns = new Turns();
    const firstFrom = (at: number) => this.#connection.read(() => work.firstFrom(at));
    const has = (spanMs: number, at: number) =>
      this.#connection.read(() => workSums.has(spanMs, at));
    for (let at = await firstFrom(Number.MIN_SAFE_INTEGER); at !== undefined; await turns.rest()) {
      const day = spanBegin(at, dayMs);
      const dayEnd = day + dayMs;
      if (!(await has(dayMs, day))) {
        while (at !== undefined && at < dayEnd) {
          const hour = spanBegin(at, hourMs);
          if (hour + hourMs > now) return;
          if (!(await has(hourMs, hour))) {
            await this.#make(hourMs, hour);
            yield;
          }
          at = await firstFrom(hour + hourMs);
        }
        if (dayEnd > now) return;
        await this.#make(dayMs, day);
        yield;
      }
      at = await firstFrom(dayEnd);
    }
  }

  async #make(spanMs: number, beginsAt: number): Promise<void> {
    const { workSums } = this.#tables;
    const end = beginsAt + spanMs;
    const draft = workSums.draft(beginsAt, end);
    const sums = new WorkSums();
    const finer = spansMs.filter((each) => each < spanMs);
    await this.#add(sums, new Turns(), finer, beginsAt, end);
    await this.#connection.unsynced(() =>
      this.#connection.transact(() => {
        // Rows that were read may have changed since.
        if (!draft.isSpoilt) workSums.write(spanMs, beginsAt, sums.list());
      }),
    );
  }

  /** Adds what lies from `from` to `to`, the longest spans first. */
  async #add(
    sums: WorkSums,
    turns: Turns,
    [spanMs, ...finer]: readonly number[],
    from: number,
    to: number,
  ): Promise<void> {
    if (spanMs === undefined) return this.#addRows(sums, from, to);
    const { workSums } = this.#tables;
    for (let at = from; at < to; await turns.rest()) {
      const firstBegin = spanBegin(at - 1, spanMs) + spanMs;
      const next = await this.#connection.read(() => workSums.next(spanMs, firstBegin, to));
      const gapEnd = next?.beginsAt ?? to;
      if (gapEnd > at) await this.#add(sums, turns, finer, at, gapEnd);
      if (next === undefined) return;
      at = next.beginsAt + spanMs;
      if (next.works !== undefined) sums.addSpan(spanMs, next.beginsAt, next.works);
      else await this.#add(sums, turns, finer, next.beginsAt, at);
    }
  }

  async #addRows(sums: WorkSums, from: number, to: number): Promise<void> {
    const first = { bucketAt: Math.max(from, Number.MIN_SAFE_INTEGER), jobKey: -1, workerId: '' };
    const before = Math.min(to, Number.MAX_SAFE_INTEGER);
    await this.#rows.walk<WorkRow>({
      page: (last: WorkPlace = first) => this.#tables.work.list(last, before, pageRows),
      visit: (row) => {
        sums.add(row);
        return false;
      },
    });
  }
}
