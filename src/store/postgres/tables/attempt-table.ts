// Attempts that did not succeed: the failure history, and the tokens of those whose reports may still come.

import { adminOwner } from '../../../core/owner.ts';
import type { AttemptOutcome, PastAttempt } from '../../../core/records.ts';
import { taskKey } from '../../../core/task-key.ts';
import type { AttemptPlace } from '../../reading.ts';
import type { AttemptRow } from '../../rows.ts';
import type { Query, Row, Statement } from '../driver/statement.ts';
import { endedAccount } from './attempt-account.ts';
import { type Look, look, lookText } from './job-look.ts';
import { ownerCell } from './job-table.ts';
import { integer, real, small, text } from './kinds.ts';
import { inLayers, RowShape } from './row-shape.ts';
import type { TaskPlace } from './task-table.ts';
import { generation, joinVisible } from './visible.ts';

/** The id of the job is in the table of jobs. */
type AttemptCells = Omit<AttemptRow, 'jobId'>;

const shape = new RowShape<AttemptCells>({
  jobKey: integer,
  index: small,
  attempt: small,
  count: small,
  workerId: text(),
  token: text(),
  outcome: text<AttemptOutcome>(),
  errorType: text(),
  errorMessage: text(),
  assignedAt: real,
  startedAt: real,
  endedAt: real,
  account: endedAccount,
});
const columns = shape.columns('attempts');
const ids = text();

const upsertText = `insert into attempts (${shape.columns()}, owner)
  select r.*, (select owner from jobs where key = r.job_key) from ${shape.unnest('r')}
  on conflict (job_key, task_index, attempt) do update set
    ${shape.replaced(['jobKey', 'index', 'attempt'])}`;

export function attemptStatements(rows: readonly AttemptRow[]): Statement[] {
  const keyOf = (row: AttemptRow) => `${row.jobKey} ${row.index} ${row.attempt}`;
  return inLayers(rows, keyOf, (some) => ({ text: upsertText, values: shape.arrays(some) }));
}

const ofTaskText = lookText(
  `select ${columns} from attempts where attempts.job_key = jobs.key and attempts.task_index = $2`,
  'abs(found.attempt), found.attempt',
);

/** Of one task, oldest first. */
export async function listAttemptsOfTask(
  query: Query,
  jobKey: number,
  index: number,
): Promise<readonly AttemptRow[]> {
  return attemptsIn(await look(query, ofTaskText, jobKey, [index]));
}

const ofJobText = lookText(
  `select ${columns} from attempts
    where attempts.job_key = jobs.key and (attempts.task_index, attempts.attempt) > ($2, $3)
    order by attempts.task_index, attempts.attempt limit $4`,
  'found.task_index, found.attempt',
);
const beforeAll: AttemptPlace = { index: -1, attempt: 0 };

/** Of one job, by index and number: those behind `after`. */
export async function listAttemptsOfJob(
  query: Query,
  jobKey: number,
  after: AttemptPlace | null,
  limit: number,
): Promise<readonly AttemptRow[]> {
  const { index, attempt } = after ?? beforeAll;
  return attemptsIn(await look(query, ofJobText, jobKey, [index, attempt, limit]));
}

const pastText = `select attempts.job_key, attempts.task_index, attempts.attempt, attempts.worker_id,
    attempts.token, attempts.outcome
  from unnest($1::bigint[], $2::integer[]) as wanted(job_key, task_index)
    join attempts on attempts.job_key = wanted.job_key and attempts.task_index = wanted.task_index
  where attempts.token is not null
  order by attempts.job_key, attempts.task_index, attempts.attempt`;

const pastShape = new RowShape<TaskPlace & PastAttempt>({
  jobKey: integer,
  index: small,
  attempt: small,
  workerId: text(),
  token: text(),
  outcome: text<AttemptOutcome>(),
});

/** Ended attempts of these tasks that kept their token, by the key of the task and by number. */
export async function listPast(
  query: Query,
  tasks: readonly TaskPlace[],
): Promise<ReadonlyMap<number, readonly PastAttempt[]>> {
  const byTask = new Map<number, PastAttempt[]>();
  if (tasks.length === 0) return byTask;
  const places = [tasks.map(({ jobKey }) => jobKey), tasks.map(({ index }) => index)];
  for (const row of await query(pastText, places)) {
    const { jobKey, index, ...past } = pastShape.decode(row);
    const key = taskKey(jobKey, index);
    const ofTask = byTask.get(key);
    if (ofTask === undefined) byTask.set(key, [past]);
    else ofTask.push(past);
  }
  return byTask;
}

/** What a worker did not take is no failure of it, nor what was taken back from it. */
const notFailures = `('refused', 'released', 'withdrawn', 'revoked')`;

const failuresText = (
  isOwn: string,
) => `select ${columns}, jobs.id from attempts ${joinVisible('attempts')}
  where attempts.worker_id = $1 and ${isOwn} and attempts.outcome not in ${notFailures}
    and exists (select 1 from workers where id = $1 and workers.generation = ${generation})
  order by attempts.ended_at desc, attempts.job_key desc, attempts.task_index desc, attempts.attempt desc
  limit $2`;
const allFailuresText = failuresText('true');
const ownFailuresText = failuresText('attempts.owner = $3');
const adminsFailuresText = failuresText('attempts.owner is null');

/** Failures of a worker of this generation, newest first, of the jobs of one owner or of all. */
export async function listFailuresOf(
  query: Query,
  workerId: string,
  limit: number,
  owner: string | undefined,
): Promise<readonly AttemptRow[]> {
  const asked = [ids.encode(workerId), limit];
  const rows =
    owner === undefined
      ? await query(allFailuresText, asked)
      : owner === adminOwner
        ? await query(adminsFailuresText, asked)
        : await query(ownFailuresText, [...asked, ownerCell(owner)]);
  return rows.map((row) => toAttempt(row, ids.decode(row[shape.fields.length]!)));
}

function attemptsIn(found: Look | undefined): readonly AttemptRow[] {
  if (found === undefined) return [];
  return found.rows.map((row) => toAttempt(row, found.job.id));
}

function toAttempt(row: Row, jobId: string): AttemptRow {
  return { ...shape.decode(row), jobId };
}
