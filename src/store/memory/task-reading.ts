// Reads of tasks and their attempts. Each is read through its job.

import { isFinalTask } from '../../core/task-status.ts';
import type { AttemptPlace, CellCounts, CellsAsked, TaskReading } from '../reading.ts';
import type { AttemptRow, StoredTask, TaskRow, TraceSummary } from '../rows.ts';
import { resultBytes, type StoredStatus, seenThrough } from '../visibility.ts';
import { indicesFrom } from './index-order.ts';
import { storedTask, withoutAccount, withoutResult } from './loading.ts';
import type { OpenDisk } from './open-disk.ts';

export class MemoryTaskReading implements TaskReading {
  readonly #open: OpenDisk;

  constructor(open: OpenDisk) {
    this.#open = open;
  }

  async listTasks(jobKey: number, fromIndex: number, limit: number): Promise<readonly TaskRow[]> {
    return this.#list(jobKey, fromIndex, limit, () => true).map(withoutResult);
  }

  async listResults(
    jobKey: number,
    fromIndex: number,
    limit: number,
    bytes: number,
  ): Promise<readonly TaskRow[]> {
    let left = bytes;
    const rows = this.#list(jobKey, fromIndex, limit, (row, found) => {
      if (!isFinalTask(row.status)) return false;
      left -= resultBytes(row);
      return left >= 0 || found === 0 ? true : 'stop';
    });
    return rows.map(withoutAccount);
  }

  async listTasksByStatus(
    jobKey: number,
    status: StoredStatus,
    fromIndex: number,
    limit: number,
  ): Promise<readonly StoredTask[]> {
    const folder = this.#open.see(jobKey);
    if (folder === undefined) return [];
    const rows = this.#list(jobKey, fromIndex, limit, (row) => row.status === status);
    return rows.map((row) => storedTask(folder, withoutResult(row)));
  }

  async listAccepted(
    jobKey: number,
    fromIndex: number,
    limit: number,
  ): Promise<readonly TaskRow[]> {
    const rows = this.#list(jobKey, fromIndex, limit, (row) => row.status === 'completed');
    return rows.map((row) => (row.resultJson === null ? row : { ...row, resultJson: null }));
  }

  async countCells(
    jobKey: number,
    { from, to, width }: CellsAsked,
  ): Promise<CellCounts | undefined> {
    const folder = this.#open.see(jobKey);
    if (folder === undefined) return undefined;
    const none = () => Array.from({ length: Math.ceil((to - from) / width) }, () => 0);
    const counts = { pending: none(), assigned: none(), failed: none(), cancelled: none() };
    for (const index of indicesFrom(folder, from)) {
      if (index >= to) break;
      const { status } = folder.tasks.get(index)!;
      if (status !== 'completed') counts[status][Math.floor((index - from) / width)]!++;
    }
    return counts;
  }

  async findTask(jobKey: number, index: number): Promise<TaskRow | undefined> {
    const folder = this.#open.see(jobKey);
    const row = folder?.tasks.get(index);
    return folder && row && withoutAccount(seenThrough(folder.row, row));
  }

  async listAttempts(jobKey: number, index: number): Promise<readonly AttemptRow[]> {
    const rows = this.#open.see(jobKey)?.attempts.get(index)?.values() ?? [];
    return [...rows].sort(
      (a, b) => Math.abs(a.attempt) - Math.abs(b.attempt) || a.attempt - b.attempt,
    );
  }

  async listJobAttempts(
    jobKey: number,
    after: AttemptPlace | null,
    limit: number,
  ): Promise<readonly AttemptRow[]> {
    const rows = [...(this.#open.see(jobKey)?.attempts.values() ?? [])].flatMap((ofTask) => [
      ...ofTask.values(),
    ]);
    return rows
      .filter((row) => after === null || byPlace(row, after) > 0)
      .sort(byPlace)
      .slice(0, limit);
  }

  async listTraces(jobKey: number, index: number): Promise<readonly TraceSummary[]> {
    const rows = this.#open.see(jobKey)?.traces.get(index)?.values() ?? [];
    return [...rows]
      .sort((a, b) => a.attempt - b.attempt)
      .map(({ output, ...rest }) => ({ ...rest, hasOutput: output !== null }));
  }

  async readOutput(jobKey: number, index: number, attempt: number): Promise<string | null> {
    return this.#open.see(jobKey)?.traces.get(index)?.get(attempt)?.output ?? null;
  }

  async listFailures(
    workerId: string,
    limit: number,
    owner?: string,
  ): Promise<readonly AttemptRow[]> {
    if (this.#open.worker(workerId) === undefined) return [];
    const isShown = (jobKey: number) => {
      const spec = this.#open.see(jobKey)?.row.spec;
      return spec !== undefined && (owner === undefined || spec.owner === owner);
    };
    return [...(this.#open.disk.failures.get(workerId) ?? [])]
      .filter((row) => isShown(row.jobKey) && isFailureRow(row))
      .sort(newestFirst)
      .slice(0, limit);
  }

  #list(
    jobKey: number,
    fromIndex: number,
    limit: number,
    take: (row: TaskRow, found: number) => boolean | 'stop',
  ): TaskRow[] {
    const folder = this.#open.see(jobKey);
    const rows: TaskRow[] = [];
    if (folder === undefined) return rows;
    for (const index of indicesFrom(folder, fromIndex)) {
      if (rows.length >= limit) break;
      const row = seenThrough(folder.row, folder.tasks.get(index)!);
      const answer = take(row, rows.length);
      if (answer === 'stop') break;
      if (answer) rows.push(row);
    }
    return rows;
  }
}

/** What a worker did not take is no failure of it, nor what was taken back from it. */
const notFailures: ReadonlySet<AttemptRow['outcome']> = new Set([
  'refused',
  'released',
  'withdrawn',
  'revoked',
]);

function isFailureRow({ outcome }: AttemptRow): boolean {
  return !notFailures.has(outcome);
}

function byPlace(a: AttemptPlace, b: AttemptPlace): number {
  return a.index - b.index || a.attempt - b.attempt;
}

function newestFirst(a: AttemptRow, b: AttemptRow): number {
  return b.endedAt - a.endedAt || b.jobKey - a.jobKey || b.index - a.index || b.attempt - a.attempt;
}
