// Checkpoints, and beside them the states that are kept.

import type { CheckpointState } from '../../../core/commands.ts';
import { taskKey } from '../../../core/task-key.ts';
import type { CheckpointRow, NewCheckpoint } from '../../rows.ts';
import type { Query, Row, Statement } from '../driver/statement.ts';
import { look, lookText } from './job-look.ts';
import { bytes, integer, real, small, text } from './kinds.ts';
import { RowShape } from './row-shape.ts';
import type { TaskPlace } from './task-table.ts';
import { isOfVisible, joinVisible } from './visible.ts';

/** The id of the job is in the table of jobs. */
type CheckpointCells = Omit<CheckpointRow, 'jobId'>;

const shape = new RowShape<CheckpointCells>({
  id: integer,
  jobKey: integer,
  index: small,
  attempt: small,
  sequence: small,
  workerId: text(),
  progress: real,
  sizeBytes: integer,
  storedBytes: integer,
  sha256: text(),
  runMs: real,
  createdAt: real,
});
const texts = text();

/** One of the last three is there: JSON text, that gzipped, or the hash of a blob. */
interface StateCells extends TaskPlace {
  readonly id: number;
  readonly json: string | null;
  readonly gzip: Uint8Array | null;
  readonly blob: string | null;
}

const states = new RowShape<StateCells>({
  id: integer,
  jobKey: integer,
  index: small,
  json: text(),
  gzip: bytes,
  blob: text(),
});

const insertText = `insert into checkpoints (${shape.columns()}, owner)
  select r.*, jobs.owner from ${shape.unnest('r')} ${joinVisible('r')}`;
const insertStatesText = `insert into checkpoint_states (${states.columns()})
  select r.* from ${states.unnest('r')} ${joinVisible('r')}`;

/** Those of jobs that can be seen are written. */
export function checkpointStatements(rows: readonly NewCheckpoint[]): Statement[] {
  if (rows.length === 0) return [];
  const kept = rows.flatMap(({ row, state }) => (state === null ? [] : toStateCells(row, state)));
  const statements = [{ text: insertText, values: shape.arrays(rows.map(({ row }) => row)) }];
  if (kept.length > 0) statements.push({ text: insertStatesText, values: states.arrays(kept) });
  return statements;
}

export function dropStateStatements(ids: readonly number[]): Statement[] {
  if (ids.length === 0) return [];
  return [{ text: 'delete from checkpoint_states where id = any($1::bigint[])', values: [ids] }];
}

/** The whole order of an index, so that the server does not walk the ids of all jobs instead. */
const listText = (isAsked: string, order: string) =>
  lookText(
    `select ${shape.columns('checkpoints')} from checkpoints
      where checkpoints.job_key = jobs.key and checkpoints.id > $2 and ${isAsked}
      order by ${order} limit $3`,
    'found.id',
  );
const ofJobText = listText('true', 'checkpoints.job_key, checkpoints.id');
const ofTaskText = listText(
  'checkpoints.task_index = $4',
  'checkpoints.job_key, checkpoints.task_index, checkpoints.id',
);

/** Checkpoints of a job, or of one task of it, with an id above `afterId`; oldest first. */
export async function listCheckpoints(
  query: Query,
  jobKey: number,
  afterId: number | null,
  limit: number,
  index?: number,
): Promise<readonly CheckpointRow[]> {
  const asked = [afterId ?? -1, limit];
  const found =
    index === undefined
      ? await look(query, ofJobText, jobKey, asked)
      : await look(query, ofTaskText, jobKey, [...asked, index]);
  if (found === undefined) return [];
  return found.rows.map((row) => ({ ...shape.decode(row), jobId: found.job.id }));
}

const keptText = `select ${shape.columns('checkpoints')}
  from unnest($1::bigint[], $2::integer[]) as wanted(job_key, task_index)
    join checkpoint_states
      on checkpoint_states.job_key = wanted.job_key and checkpoint_states.task_index = wanted.task_index
    join checkpoints on checkpoints.id = checkpoint_states.id
  order by checkpoints.id`;

/** Checkpoints of these tasks whose state is kept, by the key of the task; oldest first. */
export async function listKept(
  query: Query,
  tasks: readonly TaskPlace[],
): Promise<ReadonlyMap<number, readonly CheckpointCells[]>> {
  if (tasks.length === 0) return new Map();
  const places = [tasks.map(({ jobKey }) => jobKey), tasks.map(({ index }) => index)];
  const rows = await query(keptText, places);
  const kept = rows.map((row) => shape.decode(row));
  return Map.groupBy(kept, ({ jobKey, index }) => taskKey(jobKey, index));
}

const stateText = `select json, gzip, blob from checkpoint_states
  where id = $1 and ${isOfVisible('checkpoint_states')}`;

/** Undefined when the state was dropped, never was, or is of a job that cannot be seen. */
export async function readState(query: Query, id: number): Promise<CheckpointState | undefined> {
  const [row] = await query(stateText, [id]);
  return row && toState(row);
}

function toStateCells({ id, jobKey, index }: CheckpointRow, state: CheckpointState): StateCells {
  return {
    id,
    jobKey,
    index,
    json: state.encoding === 'json' ? state.text : null,
    gzip: state.encoding === 'gzip' ? state.bytes : null,
    blob: state.encoding === 'blob' ? state.blobSha256 : null,
  };
}

function toState([json = null, gzip = null, blob = null]: Row): CheckpointState {
  if (json !== null) return { encoding: 'json', text: texts.decode(json) };
  if (gzip !== null) return { encoding: 'gzip', bytes: bytes.decode(gzip) };
  return { encoding: 'blob', blobSha256: texts.decode(blob) };
}
