// One task as text: its state, its attempts, its error with the stack, its checkpoints.

import type { AttemptEntry, TaskDetail } from '../../client/index.ts';
import { errorText } from './error-text.ts';
import { plainText } from './foreign-text.ts';
import { inputLines } from './input-text.ts';
import { paintStatus } from './paint-status.ts';
import { type Names, type Page, workerName } from './ranking.ts';
import { type Column, renderTable, roomOf } from './table.ts';
import { clockFor } from './times.ts';
import { counted, duration, percent, retryNote } from './wording.ts';

/** Rows that are shown, the newest; `--json` has more. */
const ROWS_SHOWN = 20;

export interface TaskContext {
  readonly names: Names;
  /** Of the stack of its error. */
  readonly frames: readonly string[];
  readonly nowMs: number;
}

export function taskText(task: TaskDetail, around: TaskContext, page: Page): string {
  const { frames } = around;
  const { index, job_id, status, error } = task;
  return [
    [
      plainText(`task ${index} of job ${job_id}: ${paintStatus(status, page.colors)}`),
      ...inputLines(task, page.columns),
    ].join('\n'),
    ...attemptParts(task, around, page),
    ...(error === null ? [] : [errorText(error, frames).join('\n')]),
    ...checkpointParts(task),
    ...adviceParts(task, page),
  ].join('\n\n');
}

function attemptParts(
  { attempts }: TaskDetail,
  { names, nowMs }: TaskContext,
  page: Page,
): string[] {
  if (attempts.length === 0) return ['It was not given to a worker yet.'];
  const shown = attempts.slice(-ROWS_SHOWN);
  const clock = clockFor(
    shown.map(({ assigned_at: at }) => at),
    nowMs,
  );
  const columns: Column<AttemptEntry>[] = [
    { title: 'ATTEMPT', align: 'right', cell: ({ attempt }) => String(attempt) },
    { title: 'WORKER', cell: ({ worker_id: id }) => workerName(id, names) },
    { title: 'STATUS', cell: ({ status }) => status },
    { title: 'GIVEN', cell: ({ assigned_at: at }) => clock.text(at) },
    { title: 'TOOK', align: 'right', cell: tookText },
    {
      title: 'PRINTED',
      cell: (each) => (each.output_available === true ? 'yes' : ''),
      givesWay: 2,
    },
    {
      title: 'ERROR',
      cell: (each) => errorCell(each, ERROR_SHOWN),
      givesWay: 1,
      short: (each) => errorCell(each, SHORT_ERROR),
    },
  ];
  const before = attempts.length - shown.length;
  const table = renderTable(columns, shown, page.colors.dim, roomOf(page));
  const more = before === 0 ? [] : [`… and ${counted(before, 'attempt')} before`];
  return [[table, ...more, page.colors.dim(`(times: ${clock.zone})`)].join('\n')];
}

function checkpointParts({
  checkpoints,
  progress,
  progress_message: message,
}: TaskDetail): string[] {
  const newest = checkpoints.at(-1);
  const said = message === null ? '' : `: ${plainText(message)}`;
  return [
    ...(progress === null || progress === 0 ? [] : [`progress: ${percent(progress)}${said}`]),
    ...(newest === undefined
      ? []
      : [
          `${counted(checkpoints.length, 'checkpoint')}, the newest at ${percent(newest.progress)} ` +
            `by attempt ${newest.attempt}, ${newest.size_bytes} bytes`,
        ]),
  ];
}

function adviceParts({ job_id: job, index, attempts, status }: TaskDetail, page: Page): string[] {
  const hasOutput = attempts.some((each) => each.output_available === true);
  const lines = [
    ...(hasOutput ? [`what it printed:  muster task ${job} ${index} --output`] : []),
    ...(status === 'failed' ? [`run it again:     muster retry ${job}`, ...retryNote(job)] : []),
    `why it is there:  muster explain ${job} ${index}`,
  ];
  return [lines.map((line) => page.colors.dim(line)).join('\n')];
}

const ERROR_SHOWN = 60;
const SHORT_ERROR = 24;

function errorCell({ error }: AttemptEntry, most: number): string {
  if (error === null) return '';
  const text = plainText(`${error.type}: ${error.message}`);
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

function tookText({ started_at: from, assigned_at: given, ended_at: to }: AttemptEntry): string {
  const ms = Date.parse(to ?? '') - Date.parse(from ?? given ?? '');
  return Number.isNaN(ms) ? '' : duration(ms);
}
