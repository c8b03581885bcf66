// Sums of work in hours and days that are over, which stand for the rows of `work`. Whatever changes one of
// those rows, or what may be seen of them, drops the sums of its time; then the rows count again.

import type { DatabaseSync } from 'node:sqlite';
import type { WorkSum } from '../../rows.ts';
import { spanBegin, spansMs } from '../../sums.ts';
import { prepare, type Statement } from './statement.ts';

export interface SummedSpan {
  readonly beginsAt: number;
  /** Undefined when it cannot be read: then the rows count. */
  readonly works: readonly WorkSum[] | undefined;
}

interface Draft {
  readonly from: number;
  readonly to: number;
  isSpoilt: boolean;
}

/** Workers per row: some 40 kB. */
const worksPerPart = 500;

export class WorkSumTable {
  readonly #next: Statement;
  readonly #parts: Statement;
  readonly #has: Statement;
  readonly #insert: Statement;
  readonly #drop: Statement;
  readonly #dropAll: Statement;
  /** No sum reaches further, made or being made. */
  #until: number;
  #draft: Draft | undefined;

  constructor(db: DatabaseSync) {
    const ofSpan = 'from work_sums where span_ms = ? and begins_at';
    this.#next = prepare(db, `select begins_at ${ofSpan} >= ? order by begins_at limit 1`);
    this.#parts = prepare(db, `select works ${ofSpan} = ? order by part`);
    this.#has = prepare(db, `select 1 ${ofSpan} = ? limit 1`);
    this.#insert = prepare(
      db,
      'insert into work_sums (span_ms, begins_at, part, works) values (?, ?, ?, ?)',
    );
    this.#drop = prepare(db, `delete ${ofSpan} between ? and ?`);
    this.#dropAll = prepare(db, 'delete from work_sums');
    const last = prepare(db, `select begins_at ${ofSpan} <= 9e15 order by begins_at desc limit 1`);
    const ends = spansMs.map((spanMs) => {
      const beginsAt = last.get(spanMs)?.[0] as number | undefined;
      return beginsAt === undefined ? -Infinity : beginsAt + spanMs;
    });
    this.#until = Math.max(...ends);
  }

  /** Somebody makes a sum of what lies there, one at a time. */
  draft(from: number, to: number): Readonly<Draft> {
    this.#draft = { from, to, isSpoilt: false };
    this.#until = Math.max(this.#until, to);
    return this.#draft;
  }

  has(spanMs: number, beginsAt: number): boolean {
    return this.#has.get(spanMs, beginsAt) !== undefined;
  }

  /** The first span that begins at `from` or later and ends at `to` or before. */
  next(spanMs: number, from: number, to: number): SummedSpan | undefined {
    if (from >= this.#until) return undefined;
    const beginsAt = this.#next.get(spanMs, Math.max(from, Number.MIN_SAFE_INTEGER))?.[0];
    if (beginsAt === undefined || (beginsAt as number) + spanMs > to) return undefined;
    return { beginsAt: beginsAt as number, works: this.read(spanMs, beginsAt as number) };
  }

  read(spanMs: number, beginsAt: number): readonly WorkSum[] | undefined {
    try {
      return this.#parts
        .all(spanMs, beginsAt)
        .flatMap(([works]) => (JSON.parse(works as string) as WorkCells[]).map(toWork));
    } catch (error) {
      if (error instanceof SyntaxError) return undefined;
      throw error;
    }
  }

  write(spanMs: number, beginsAt: number, works: readonly WorkSum[]): void {
    this.#drop.run(spanMs, beginsAt, beginsAt);
    // One part even for nobody: then nothing has to be looked for.
    for (let part = 0; part === 0 || part * worksPerPart < works.length; part++) {
      const some = works.slice(part * worksPerPart, (part + 1) * worksPerPart);
      this.#insert.run(spanMs, beginsAt, part, JSON.stringify(some.map(toCells)));
    }
  }

  /** Something changes in the buckets from `first` to `last`. */
  drop(first: number, last = first): void {
    if (first >= this.#until) return;
    const draft = this.#draft;
    if (draft !== undefined && first < draft.to && last >= draft.from) draft.isSpoilt = true;
    for (const spanMs of spansMs) this.#drop.run(spanMs, spanBegin(first, spanMs), last);
  }

  dropAll(): void {
    if (this.#draft !== undefined) this.#draft.isSpoilt = true;
    this.#dropAll.run();
  }
}

type WorkCells = readonly [string, number, number, number, number, number, number, number];

function toCells(work: WorkSum): WorkCells {
  const { workerId, completed, failed, retried, completedMs, busyMs, energyJoules, wastedMs } =
    work;
  return [workerId, completed, failed, retried, completedMs, busyMs, energyJoules, wastedMs];
}

function toWork(cells: WorkCells): WorkSum {
  const [workerId, completed, failed, retried, completedMs, busyMs, energyJoules, wastedMs] = cells;
  return { workerId, completed, failed, retried, completedMs, busyMs, energyJoules, wastedMs };
}
