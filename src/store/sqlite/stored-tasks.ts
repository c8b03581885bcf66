// Reads tasks with what a late report or the next attempt needs: past attempts that kept their token, and
// checkpoints whose state is kept. A task that goes well has neither, and costs no query of its own.

import type { PastAttempt } from '../../core/records.ts';
import { taskKey } from '../../core/task-key.ts';
import type { CheckpointRow, StoredTask, TaskRow } from '../rows.ts';
import type { CheckpointCells } from './tables/checkpoint-table.ts';
import type { Tables } from './tables/tables.ts';

export class StoredTasks {
  readonly #tables: Tables;

  constructor(tables: Tables) {
    this.#tables = tables;
  }

  /** The pending and assigned tasks of an open job. */
  listUnfinished(jobKey: number, jobId: string): readonly StoredTask[] {
    const { tasks, checkpoints } = this.#tables;
    const kept = checkpoints.hasKept(jobKey) ? checkpoints.listKept(jobKey) : [];
    return this.#join(tasks.listUnfinished(jobKey), kept, () => jobId);
  }

  /** Looks for kept states only in jobs that have any, and for all tasks at once. */
  complete(
    rows: readonly TaskRow[],
    jobs: ReadonlyMap<number, { readonly id: string } | undefined>,
  ): readonly StoredTask[] {
    const { checkpoints } = this.#tables;
    const keys = new Set([...jobs.keys()].filter((jobKey) => checkpoints.hasKept(jobKey)));
    const asked = rows.filter(({ jobKey }) => keys.has(jobKey));
    const kept =
      asked.length === 0
        ? []
        : checkpoints.listKeptOf(asked.map((row) => taskKey(row.jobKey, row.index)));
    return this.#join(rows, kept, (jobKey) => jobs.get(jobKey)!.id);
  }

  #join(
    rows: readonly TaskRow[],
    kept: readonly CheckpointCells[],
    idOf: (jobKey: number) => string,
  ): readonly StoredTask[] {
    const byTask = new Map<number, CheckpointRow[]>();
    for (const cells of kept) {
      const key = taskKey(cells.jobKey, cells.index);
      const checkpoint = { ...cells, jobId: idOf(cells.jobKey) };
      const ofTask = byTask.get(key);
      if (ofTask === undefined) byTask.set(key, [checkpoint]);
      else ofTask.push(checkpoint);
    }
    return rows.map((row) => ({
      row,
      past: this.#past(row),
      checkpoints: byTask.get(taskKey(row.jobKey, row.index)) ?? none,
    }));
  }

  #past(row: TaskRow): readonly PastAttempt[] {
    // A live first attempt has none before it.
    const isFirst = row.attempt === 1 && row.status === 'assigned';
    return isFirst ? [] : this.#tables.attempts.listPast(row.jobKey, row.index);
  }
}

const none: readonly CheckpointRow[] = [];
