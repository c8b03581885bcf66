// Goes through rows that belong to jobs. Those of cleared and deleted jobs lie among the others until they are
// swept: so pages of all rows are read, with turns of the event loop in between, and rows that nobody may see
// are passed over.

import type { Connection } from './connection.ts';
import type { JobGlance, JobTable } from './tables/job-table.ts';
import { Turns } from '../turns.ts';

/** Rows per page: a few milliseconds. */
export const pageRows = 1_000;

interface Walk<R> {
  /** Only rows of the jobs of this owner are visited; undefined: of all. */
  readonly owner?: string | undefined;
  /** The rows after the last one of the page before, at most `pageRows`. */
  page(last: R | undefined): readonly R[];
  /** Returns true when no further rows are needed. */
  visit(row: R, job: JobGlance): boolean;
}

export class VisibleRows {
  readonly #connection: Connection;
  readonly #jobs: JobTable;

  constructor(connection: Connection, jobs: JobTable) {
    this.#connection = connection;
    this.#jobs = jobs;
  }

  /** False when the database was cleared meanwhile: then what was read no longer counts. */
  async walk<R extends { readonly jobKey: number }>(walk: Walk<R>): Promise<boolean> {
    const begun = await this.#connection.read((generation) => generation);
    const jobs = new Map<number, JobGlance | undefined>();
    const turns = new Turns();
    let last: R | undefined;
    for (;;) {
      const isDone = await this.#connection.read((generation) => {
        if (generation !== begun) return 'cleared';
        const rows = walk.page(last);
        for (const row of rows) {
          const { jobKey } = row;
          if (!jobs.has(jobKey)) jobs.set(jobKey, this.#jobs.glance(jobKey));
          const job = jobs.get(jobKey);
          if (job?.generation !== generation) continue;
          if (walk.owner !== undefined && job.owner !== walk.owner) continue;
          if (walk.visit(row, job)) return true;
        }
        last = rows.at(-1);
        return rows.length < pageRows;
      });
      if (isDone === 'cleared') return false;
      if (isDone) return true;
      await turns.rest();
    }
  }
}
