// Checkpoints, and beside them the states that are kept. Most tasks have neither: before a query for many
// tasks, ask whether their job has any.

import type { DatabaseSync } from 'node:sqlite';
import type { CheckpointState } from '../../../core/commands.ts';
import { adminOwner } from '../../../core/owner.ts';
import { taskKey } from '../../../core/task-key.ts';
import type { JobsAsked } from '../../reading.ts';
import type { CheckpointRow, NewCheckpoint } from '../../rows.ts';
import { ownerCell } from './own-job-list.ts';
import { type Cell, prepare, type Row, type Statement } from './statement.ts';

/** The id of the job is in the table of jobs. */
export type CheckpointCells = Omit<CheckpointRow, 'jobId'>;

/** What a sum needs of a checkpoint. */
export type CheckpointSize = Pick<CheckpointRow, 'id' | 'jobKey' | 'storedBytes' | 'createdAt'>;

const columns =
  'id, job_key, task_index, attempt, sequence, worker_id, progress, size_bytes, stored_bytes, ' +
  'sha256, run_ms, created_at';
const ofTable = columns.replaceAll(/(\w+)/g, 'checkpoints.$1');

export class CheckpointTable {
  readonly #insert: Statement;
  readonly #insertState: Statement;
  readonly #dropState: Statement;
  readonly #ofJobAfter: Statement;
  readonly #ofTaskAfter: Statement;
  readonly #sizesBefore: Statement;
  readonly #sizesOfJobBefore: Statement;
  readonly #ownSizesBefore: Statement;
  readonly #hasKept: Statement;
  readonly #keptOfJob: Statement;
  readonly #keptOfTasks: Statement;
  readonly #state: Statement;

  constructor(db: DatabaseSync) {
    this.#insert = prepare(
      db,
      `insert into checkpoints (${columns}, owner)
        select ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, owner from jobs where key = ? and generation = ?`,
    );
    this.#insertState = prepare(
      db,
      'insert into checkpoint_states (id, task_key, encoding, content) values (?, ?, ?, ?)',
    );
    this.#dropState = prepare(db, 'delete from checkpoint_states where id = ?');
    this.#ofJobAfter = prepare(
      db,
      `select ${columns} from checkpoints where job_key = ? and id > ? order by id limit ?`,
    );
    this.#ofTaskAfter = prepare(
      db,
      `select ${columns} from checkpoints
        where job_key = ? and task_index = ? and id > ? order by id limit ?`,
    );
    const sizes = 'select id, job_key, stored_bytes, created_at from checkpoints where';
    this.#sizesBefore = prepare(db, `${sizes} id < ? order by id desc limit ?`);
    this.#sizesOfJobBefore = prepare(
      db,
      `${sizes} job_key = ? and id < ? order by id desc limit ?`,
    );
    this.#ownSizesBefore = prepare(db, `${sizes} owner = ? and id < ? order by id desc limit ?`);
    this.#hasKept = prepare(
      db,
      'select 1 from checkpoint_states where task_key >= ? and task_key < ? limit 1',
    );
    this.#keptOfJob = prepare(
      db,
      `select ${ofTable} from checkpoint_states join checkpoints using (id)
        where task_key >= ? and task_key < ? order by checkpoints.id`,
    );
    // A cross join is not reordered: it goes from the few keys to the table.
    this.#keptOfTasks = prepare(
      db,
      `select ${ofTable} from json_each(?) asked
        cross join checkpoint_states on task_key = asked.value
        join checkpoints on checkpoints.id = checkpoint_states.id order by checkpoints.id`,
    );
    this.#state = prepare(
      db,
      `select encoding, content from checkpoint_states where id = ?
        and exists (select 1 from jobs where key = task_key >> 24 and generation = ?)`,
    );
  }

  /** Writes a checkpoint, if its job is of this generation. */
  write({ row, state }: NewCheckpoint, generation: number): void {
    const { changes } = this.#insert.run(
      row.id,
      row.jobKey,
      row.index,
      row.attempt,
      row.sequence,
      row.workerId,
      row.progress,
      row.sizeBytes,
      row.storedBytes,
      row.sha256,
      row.runMs,
      row.createdAt,
      row.jobKey,
      generation,
    );
    if (changes === 0 || state === null) return;
    this.#insertState.run(row.id, taskKey(row.jobKey, row.index), ...toCells(state));
  }

  dropState(id: number): void {
    this.#dropState.run(id);
  }

  /** Checkpoints, oldest first. */
  list(
    jobKey: number,
    afterId: number,
    limit: number,
    index: number | undefined,
  ): readonly CheckpointCells[] {
    const rows =
      index === undefined
        ? this.#ofJobAfter.all(jobKey, afterId, limit)
        : this.#ofTaskAfter.all(jobKey, index, afterId, limit);
    return rows.map(toCheckpoint);
  }

  /** Sizes, newest first; asked for the admin's, those of all. */
  listSizes(
    { jobKey, owner = adminOwner }: JobsAsked,
    beforeId: number,
    limit: number,
  ): readonly CheckpointSize[] {
    return this.#sizes(jobKey, ownerCell(owner), beforeId, limit).map(toSize);
  }

  #sizes(jobKey: number | undefined, owner: Cell, beforeId: number, limit: number): readonly Row[] {
    if (jobKey !== undefined) return this.#sizesOfJobBefore.all(jobKey, beforeId, limit);
    if (owner !== null) return this.#ownSizesBefore.all(owner, beforeId, limit);
    return this.#sizesBefore.all(beforeId, limit);
  }

  /** Whether a state of any task of the job is kept. */
  hasKept(jobKey: number): boolean {
    return this.#hasKept.get(taskKey(jobKey, 0), taskKey(jobKey + 1, 0)) !== undefined;
  }

  /** Checkpoints of a job whose state is kept, oldest first. */
  listKept(jobKey: number): readonly CheckpointCells[] {
    return this.#keptOfJob.all(taskKey(jobKey, 0), taskKey(jobKey + 1, 0)).map(toCheckpoint);
  }

  /** Checkpoints of the given tasks whose state is kept, oldest first. */
  listKeptOf(taskKeys: readonly number[]): readonly CheckpointCells[] {
    return this.#keptOfTasks.all(JSON.stringify(taskKeys)).map(toCheckpoint);
  }

  readState(id: number, generation: number): CheckpointState | undefined {
    const row = this.#state.get(id, generation);
    return row && toState(row);
  }
}

function toCells(state: CheckpointState): [encoding: number, content: Cell] {
  switch (state.encoding) {
    case 'json':
      return [0, state.text];
    case 'gzip':
      return [1, state.bytes];
    case 'blob':
      return [2, state.blobSha256];
  }
}

function toState([encoding, content]: Row): CheckpointState {
  if (encoding === 0) return { encoding: 'json', text: content as string };
  if (encoding === 1) return { encoding: 'gzip', bytes: content as Uint8Array };
  return { encoding: 'blob', blobSha256: content as string };
}

function toCheckpoint(row: Row): CheckpointCells {
  return {
    id: row[0] as number,
    jobKey: row[1] as number,
    index: row[2] as number,
    attempt: row[3] as number,
    sequence: row[4] as number,
    workerId: row[5] as string,
    progress: row[6] as number,
    sizeBytes: row[7] as number,
    storedBytes: row[8] as number,
    sha256: row[9] as string,
    runMs: row[10] as number,
    createdAt: row[11] as number,
  };
}

function toSize(row: Row): CheckpointSize {
  return {
    id: row[0] as number,
    jobKey: row[1] as number,
    storedBytes: row[2] as number,
    createdAt: row[3] as number,
  };
}
