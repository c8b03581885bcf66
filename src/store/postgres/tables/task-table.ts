// Task rows. The hot table. Tasks that were given out together stand in a dispatch until they have a row here; whoever asks
// sees no difference.

import { taskKey } from '../../../core/task-key.ts';
import { finalTaskStatuses } from '../../../core/task-status.ts';
import type { CellCounts, CellsAsked } from '../../reading.ts';
import type { LiveAttemptRow, TaskRow } from '../../rows.ts';
import type { StoredStatus } from '../../visibility.ts';
import type { Query, Row, Statement } from '../driver/statement.ts';
import { acceptedAccount } from './attempt-account.ts';
import {
  dispatchStatements,
  dropDispatches,
  fromStanding,
  standingColumns,
} from './dispatch-table.ts';
import { openJobCodes, taskStatusCode, taskStatuses } from '../../enumerations.ts';
import { isClosedJob, type Look, look, lookText } from './job-look.ts';
import { integer, json, oneOf, real, small, text } from './kinds.ts';
import type { SortedTasks } from './open-dispatches.ts';
import { inLayers, RowShape } from './row-shape.ts';
import { joinVisible } from './visible.ts';

/** A task without what only few ask for. */
type TaskHead = Omit<TaskRow, 'account' | 'resultJson'>;

/** Where a task is. */
export type TaskPlace = Pick<TaskRow, 'jobKey' | 'index'>;

const headKinds = {
  jobKey: integer,
  index: small,
  status: oneOf(taskStatuses),
  attempt: small,
  workerId: text(),
  token: text(),
  acceptedAttempt: small,
  errors: small,
  losses: small,
  timeouts: small,
  notBefore: real,
  avoid: json<readonly string[]>(),
  assignedAt: real,
  startedAt: real,
  completedAt: real,
  runMs: real,
  errorType: text(),
  errorMessage: text(),
  others: json<readonly LiveAttemptRow[]>(),
  runBeforeMs: real,
};

const resultJson = text();
const head = new RowShape<TaskHead>(headKinds);
const whole = new RowShape<TaskRow>({ ...headKinds, account: acceptedAccount, resultJson });

const columns = head.columns('tasks');
/** The cell behind those of the head. */
const BEHIND = head.fields.length;

/** A completed row that is written without its result keeps the one it has; its account likewise. */
const kept = (column: string) =>
  `${column} = case when excluded.status = ${taskStatusCode.completed}
    then coalesce(excluded.${column}, tasks.${column}) end`;

const insertText = `insert into tasks (${whole.columns()}) select * from ${whole.unnest('r')}`;
const upsertText = `${insertText}
  on conflict (job_key, task_index) do update set
    ${whole.replaced(['jobKey', 'index', 'account', 'resultJson'])}, ${kept('account')}, ${kept('result_json')}`;

/** A task whose first attempt was accepted: all that differs from one to the next. */
type PlainCompletion = Pick<
  TaskRow,
  | 'jobKey'
  | 'index'
  | 'workerId'
  | 'token'
  | 'assignedAt'
  | 'startedAt'
  | 'completedAt'
  | 'runMs'
  | 'account'
  | 'resultJson'
>;

const plain = new RowShape<PlainCompletion>({
  jobKey: integer,
  index: small,
  workerId: text(),
  token: text(),
  assignedAt: real,
  startedAt: real,
  completedAt: real,
  runMs: real,
  account: acceptedAccount,
  resultJson,
});

const insertPlainText = `insert into tasks (${plain.columns()}, status, attempt, accepted_attempt, errors, losses,
    timeouts, not_before, avoid, others)
  select r.*, ${taskStatusCode.completed}, 1, 1, 0, 0, 0, 0, '[]', '[]' from ${plain.unnest('r')}`;

/** New dispatches first: what else is written of a task counts more. */
export function taskStatements({
  dispatches,
  added,
  others,
  emptied,
}: SortedTasks): readonly Statement[] {
  const completions = added.filter(isPlainCompletion);
  const rest =
    completions.length === added.length ? [] : added.filter((row) => !isPlainCompletion(row));
  const keyOf = (row: TaskRow) => taskKey(row.jobKey, row.index);
  return [
    ...dispatchStatements(dispatches),
    ...(completions.length === 0
      ? []
      : [{ text: insertPlainText, values: plain.arrays(completions) }]),
    ...(rest.length === 0 ? [] : [{ text: insertText, values: whole.arrays(rest) }]),
    ...inLayers(others, keyOf, (some) => ({ text: upsertText, values: whole.arrays(some) })),
    ...dropDispatches(emptied),
  ];
}

function isPlainCompletion(row: TaskRow): boolean {
  return (
    row.status === 'completed' &&
    row.attempt === 1 &&
    row.acceptedAttempt === 1 &&
    row.errors + row.losses + row.timeouts === 0 &&
    row.notBefore === 0 &&
    row.avoid.length + row.others.length === 0 &&
    row.errorType === null &&
    row.errorMessage === null &&
    row.runBeforeMs === null
  );
}

const findText = `select ${columns}
  from unnest($1::bigint[], $2::integer[]) with ordinality as wanted(job_key, task_index, place)
    join tasks on tasks.job_key = wanted.job_key and tasks.task_index = wanted.task_index
  order by wanted.place`;

const standing = standingColumns(head.fields);
const findStandingText = `select ${standing} from unnest($1::bigint[], $2::integer[]) as wanted(job_key, task_index)
  cross join lateral (select * ${fromStanding(
    `dispatches.job_key = wanted.job_key and dispatches.task_index <= wanted.task_index
      and dispatches.last_index >= wanted.task_index`,
    'standing.task_index = wanted.task_index',
  )}) as standing`;

/** Those that were written, as they are stored, without results. What is asked must not change meanwhile. */
export async function findTasks(
  query: Query,
  wanted: readonly TaskPlace[],
): Promise<readonly TaskRow[]> {
  if (wanted.length === 0) return [];
  const places = (of: readonly TaskPlace[]) => [
    of.map(({ jobKey }) => jobKey),
    of.map(({ index }) => index),
  ];
  const rows = (await query(findText, places(wanted))).map(toTask);
  if (rows.length === wanted.length) return rows;
  const found = new Set(rows.map((row) => taskKey(row.jobKey, row.index)));
  const missing = wanted.filter(({ jobKey, index }) => !found.has(taskKey(jobKey, index)));
  return [...rows, ...(await query(findStandingText, places(missing))).map(toTask)];
}

const unfinished = [taskStatusCode.pending, taskStatusCode.assigned].join();
const isOpen = `jobs.status in (${openJobCodes})`;
const unfinishedText = `select ${columns} from tasks ${joinVisible('tasks')}
    where ${isOpen} and tasks.status in (${unfinished})
  union all select ${standing} ${fromStanding(isOpen, 'true', `dispatches ${joinVisible('dispatches')}`)}
  order by job_key, task_index`;

/** Pending and assigned tasks of all open jobs, by the key of the job and by index: rows for `toTask`. */
export function listUnfinished(query: Query): Promise<readonly Row[]> {
  return query(unfinishedText);
}

const byIndex = 'found.task_index';
const ofJob = 'tasks.job_key = jobs.key and tasks.task_index';
const dispatchesOfJob = 'dispatches.job_key = jobs.key';
/** Those of the job from index `$2` on, `$3` at the most. */
const standingPage = (isOf: string) =>
  `${fromStanding(
    `${isOf} and dispatches.last_index >= $2`,
    'standing.task_index >= $2',
  )} order by standing.task_index limit $3`;

const lookOneText = lookText(
  `select ${columns}, tasks.result_json from tasks where ${ofJob} = $2
    union all select ${standing}, null ${fromStanding(
      `${dispatchesOfJob} and dispatches.task_index <= $2 and dispatches.last_index >= $2`,
      'standing.task_index = $2',
    )}`,
  byIndex,
);

/** One task with its result. */
export function lookAtTask(query: Query, jobKey: number, index: number): Promise<Look | undefined> {
  return look(query, lookOneText, jobKey, [index]);
}

const lookAllText = lookText(
  `(select ${columns} from tasks where ${ofJob} >= $2 order by tasks.task_index limit $3)
    union all (select ${standing} ${standingPage(dispatchesOfJob)}) order by task_index limit $3`,
  byIndex,
);

/** Tasks from an index on, without results. */
export function lookAtTasks(
  query: Query,
  jobKey: number,
  fromIndex: number,
  limit: number,
): Promise<Look | undefined> {
  return look(query, lookAllText, jobKey, [fromIndex, limit]);
}

/** What each row counts at the least, as `resultBytes` says. */
const leastBytes = 256;
const final = finalTaskStatuses.map((status) => taskStatusCode[status]).join();
/**
 * Rows are added up in the order of their indices until the bound is passed: a sum over bytes, which the server
 * knows without reading a large text, and of which each character has one or more. So a page is the bound and a row
 * at the most, and where characters have several bytes there is another page.
 */
const lookResultsText = lookText(
  `select ${head.columns('sized')}, sized.result_json, sized.looked_at
    from (
      select page.*, count(*) over () as looked_at, coalesce(sum(page.bytes) over
        (order by page.task_index rows between unbounded preceding and 1 preceding), 0) as before
      from (
        (select ${columns}, tasks.result_json, ${leastBytes} + coalesce(octet_length(tasks.result_json), 0)
          + coalesce(octet_length(tasks.error_message), 0) as bytes
        from tasks where ${ofJob} >= $2 and (tasks.status in (${final}) or ${isClosedJob})
        order by tasks.task_index limit $3)
        union all (select ${standing}, null, ${leastBytes}
          ${standingPage(`${dispatchesOfJob} and ${isClosedJob}`)})
        order by task_index limit $3
      ) as page
    ) as sized
    where sized.before < greatest($4::bigint, 1)`,
  byIndex,
);

interface ResultsLook extends Look {
  /** Whether there are no rows behind these. */
  readonly isEnd: boolean;
}

/**
 * Tasks that read as final, with their results: at most `limit`, and not beyond the first with which they have so
 * many bytes.
 */
export async function lookAtResults(
  query: Query,
  jobKey: number,
  fromIndex: number,
  limit: number,
  bytes: number,
): Promise<ResultsLook | undefined> {
  const most = Math.min(limit, Math.max(0, Math.floor(bytes / leastBytes)) + 1);
  const found = await look(query, lookResultsText, jobKey, [fromIndex, most, Math.floor(bytes)]);
  if (found === undefined) return undefined;
  const lookedAt = (found.rows[0]?.[BEHIND + 1] ?? 0) as number;
  return { ...found, isEnd: lookedAt < most && found.rows.length === lookedAt };
}

const lookAcceptedText = lookText(
  `select ${columns}, tasks.account from tasks
    where ${ofJob} >= $2 and tasks.status = ${taskStatusCode.completed}
    order by tasks.task_index limit $3`,
  byIndex,
);

/** Completed tasks with the accounts of their accepted attempts, in order. */
export async function listAcceptedTasks(
  query: Query,
  jobKey: number,
  fromIndex: number,
  limit: number,
): Promise<readonly TaskRow[]> {
  const found = await look(query, lookAcceptedText, jobKey, [fromIndex, limit]);
  return (found?.rows ?? []).map((row) => {
    const cell = row[BEHIND]!;
    return { ...toTask(row), account: cell === null ? null : acceptedAccount.decode(cell) };
  });
}

/** Tasks of the given stored statuses in order: of each status a range of an index, where it has one. */
export async function listTasksOf(
  query: Query,
  jobKey: number,
  statuses: readonly StoredStatus[],
  fromIndex: number,
  limit: number,
): Promise<readonly TaskRow[]> {
  if (statuses.length === 0) return [];
  const ranges = statuses.map(
    (status) => `(select ${columns} from tasks where tasks.job_key = $1 and tasks.task_index >= $2
      and tasks.status = ${taskStatusCode[status]} order by tasks.task_index limit $3)`,
  );
  if (statuses.includes('assigned')) {
    ranges.push(`(select ${standing} ${standingPage('dispatches.job_key = $1')})`);
  }
  const all = ranges.join(' union all ');
  const rows = await query(`select * from (${all}) as found order by task_index limit $3`, [
    jobKey,
    fromIndex,
    limit,
  ]);
  return rows.map(toTask);
}

/** Those that are in an index. */
const countedStatuses = ['pending', 'assigned', 'failed', 'cancelled'] as const;

const countedText = (status: StoredStatus, rows: string, from: string) =>
  `select ${taskStatusCode[status]} as status, (${rows}.task_index - $2) / $4 as cell, count(*) as count
    ${from} group by cell`;
const lookCellsText = lookText(
  [
    ...countedStatuses.map((status) =>
      countedText(
        status,
        'tasks',
        `from tasks where ${ofJob} >= $2 and tasks.task_index < $3
          and tasks.status = ${taskStatusCode[status]}`,
      ),
    ),
    countedText(
      'assigned',
      'standing',
      fromStanding(
        `${dispatchesOfJob} and dispatches.last_index >= $2 and dispatches.task_index < $3`,
        'standing.task_index >= $2 and standing.task_index < $3',
      ),
    ),
  ].join(' union all '),
  'found.status',
);

/** Undefined when the job cannot be seen. Looks at indexes only. */
export async function countTaskCells(
  query: Query,
  jobKey: number,
  { from, to, width }: CellsAsked,
): Promise<CellCounts | undefined> {
  const found = await look(query, lookCellsText, jobKey, [from, to, width]);
  if (found === undefined) return undefined;
  const none = () => Array.from({ length: Math.ceil((to - from) / width) }, () => 0);
  const counts = { pending: none(), assigned: none(), failed: none(), cancelled: none() };
  for (const [status, cell, count] of found.rows) {
    const name = taskStatuses[status as number] as (typeof countedStatuses)[number];
    counts[name][cell as number]! += count as number;
  }
  return counts;
}

export function toTask(row: Row): TaskRow {
  return { ...head.decode(row), account: null, resultJson: null };
}

/** With the result, which stands behind the head. */
export function toTaskWithResult(row: Row): TaskRow {
  const cell = row[BEHIND]!;
  return {
    ...head.decode(row),
    account: null,
    resultJson: cell === null ? null : resultJson.decode(cell),
  };
}
