// The life of one task in sentences: what was tried, by whom, how it ended, and what it waits for.

import type { AttemptEntry, JobHead, TaskDetail, WorkerResource } from '../client/index.ts';
import { paintStatus } from './paint-status.ts';
import { plainText } from './table.ts';
import type { Colors } from './terminal.ts';
import { counted, duration, percent } from './wording.ts';

export interface Surroundings {
  readonly job: JobHead;
  readonly workers: readonly WorkerResource[];
  readonly nowMs: number;
  readonly url: string;
}

const RESULT_SHOWN = 200;

export function taskStory(task: TaskDetail, around: Surroundings, colors: Colors): string[] {
  const name = around.job.name === null ? '' : ` (${plainText(around.job.name)})`;
  return [
    `task ${task.index} of job ${task.job_id}${name}: ${paintStatus(task.status, colors)}`,
    '',
    `  ${clock(around.job.created_at)}  submitted`,
    ...task.attempts.flatMap((attempt) => attemptLines(attempt, around)),
    ...checkpointLines(task),
    ...endLines(task, around, colors),
  ];
}

function attemptLines(attempt: AttemptEntry, { workers, nowMs }: Surroundings): string[] {
  const { assigned_at, started_at, ended_at } = attempt;
  const known = workers.find(({ id }) => id === attempt.worker_id)?.name ?? null;
  const worker = known === null ? attempt.worker_id : `${plainText(known)} (${attempt.worker_id})`;
  const beganAt = started_at ?? assigned_at;
  const ran = beganAt === null ? null : (ended_at === null ? nowMs : at(ended_at)) - at(beganAt);
  const after = ran === null ? '' : ` after ${duration(ran)}`;
  const error = reasonOf(attempt);
  const begin = `  ${clock(assigned_at)}  attempt ${attempt.attempt} given to ${worker}`;
  if (ended_at === null && attempt.status === 'assigned') return [`${begin}; not begun yet`];
  if (ended_at === null && attempt.status === 'running') {
    return [begin, `  ${clock(started_at)}  begun; runs for ${duration(ran ?? 0)} now`];
  }
  return [begin, `  ${clock(ended_at)}  ${ENDED[attempt.status]}${after}${error}`];
}

/** What the coordinator itself took back has its reason as the type of the error. */
function reasonOf({ status, error }: AttemptEntry): string {
  if (error === null) return '';
  const isTakenBack = status === 'revoked' || status === 'superseded' || status === 'lost';
  return isTakenBack ? ` (${plainText(error.type).replaceAll('_', ' ')})` : `: ${errorText(error)}`;
}

const ENDED: Readonly<Record<AttemptEntry['status'], string>> = {
  assigned: 'given back',
  running: 'ended',
  completed: 'completed',
  failed: 'failed',
  lost: 'lost with its worker',
  timed_out: 'passed its time limit',
  revoked: 'taken back',
  refused: 'refused by the worker',
  superseded: 'no longer needed',
};

function checkpointLines({ checkpoints }: TaskDetail): string[] {
  const last = checkpoints.at(-1);
  if (last === undefined) return [];
  const what = `${counted(checkpoints.length, 'checkpoint')}, the last at ${percent(last.progress)}`;
  return [`  ${clock(last.created_at)}  ${what}`];
}

function endLines(task: TaskDetail, around: Surroundings, colors: Colors): string[] {
  if (task.status === 'completed') return ['', `result: ${shortened(task.result)}`];
  if (task.status === 'failed') {
    const why = task.error === null ? 'failed' : errorText(task.error);
    return ['', colors.red(why), `run it again:  muster retry ${task.job_id}`];
  }
  if (task.status === 'cancelled') return ['', 'Its job ended first.'];
  if (task.status === 'pending') return ['', waitingFor(task, around)];
  if (task.progress === null || (task.progress === 0 && task.progress_message === null)) return [];
  const message = task.progress_message === null ? '' : `: ${plainText(task.progress_message)}`;
  return ['', `progress: ${percent(task.progress)}${message}`];
}

/** As far as it can be told from outside: the first reason that holds. */
function waitingFor(task: TaskDetail, { workers, nowMs, url }: Surroundings): string {
  const pauseMs = task.not_before === null ? 0 : at(task.not_before) - nowMs;
  if (pauseMs > 0) return `It is tried again in ${duration(pauseMs)}.`;
  const alive = workers.filter(({ status }) => status === 'online' || status === 'busy');
  if (workers.length === 0) return `It waits for a worker; start one with  muster worker ${url}`;
  if (alive.length === 0) {
    const states = [...new Set(workers.map(({ status }) => status))].join(' or ');
    return `It waits for a worker: all ${workers.length} are ${states} (\`muster workers\`).`;
  }
  const free = alive.filter(({ status }) => status === 'online').length;
  if (free === 0) return `It waits for a free slot: ${counted(alive.length, 'worker')}, all busy.`;
  return (
    `It waits although ${counted(free, 'worker')} has a free slot: it is about to be assigned, or ` +
    'none of them meets the requirements of its job.'
  );
}

function errorText(error: { readonly type: string; readonly message: string }): string {
  return plainText(`${error.type}: ${error.message}`);
}

function shortened(value: unknown): string {
  const text = plainText(JSON.stringify(value) ?? 'null');
  if (text.length <= RESULT_SHOWN) return text;
  return `${text.slice(0, RESULT_SHOWN)}… (all of it with --json)`;
}

function at(time: string): number {
  return Date.parse(time);
}

/** `10:20:01.123` of today's `2026-…T10:20:01.123Z`; the day is in `--json`. */
function clock(time: string | null): string {
  return time === null ? '            ' : time.slice(11, 23);
}
