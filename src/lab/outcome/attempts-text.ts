// The attempts of a run as CSV or NDJSON, a row each, by the time of their end.

import { csvLine } from '../../protocol/csv-line.ts';
import type { Plan } from '../scenario/plan.ts';
import type { Played } from '../world/played.ts';

/** Times are in seconds from the arrival of the first job. */
export interface AttemptOfRun {
  readonly job: string;
  readonly index: number;
  readonly attempt: number;
  readonly device: string;
  readonly outcome: string;
  readonly waited_seconds: number;
  /** Null: it never began. */
  readonly ran_seconds: number | null;
  readonly assigned_at: number;
  readonly ended_at: number;
  readonly work_seconds: number;
  readonly checkpoints: number;
  /** Of the checkpoint that it went on from, 0 to 1; null: from the start. */
  readonly resumed_from: number | null;
}

/** In pieces: millions of rows are more than a text can hold. */
export function* attemptsText(
  plan: Plan,
  { attempts }: Played,
  form: 'csv' | 'ndjson',
): Generator<string, void, void> {
  const names = Object.keys(emptyRow) as (keyof AttemptOfRun)[];
  const line =
    form === 'ndjson'
      ? (row: AttemptOfRun) => `${JSON.stringify(row)}\n`
      : (row: AttemptOfRun) => csvLine(names.map((name) => row[name]));
  let piece = form === 'csv' ? csvLine(names) : '';
  for (const attempt of attempts) {
    piece += line(rowOf(plan, attempt));
    if (piece.length < pieceCharacters) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}

const pieceCharacters = 64 * 1024;

const emptyRow: AttemptOfRun = {
  job: '',
  index: 0,
  attempt: 0,
  device: '',
  outcome: '',
  waited_seconds: 0,
  ran_seconds: 0,
  assigned_at: 0,
  ended_at: 0,
  work_seconds: 0,
  checkpoints: 0,
  resumed_from: 0,
};

function rowOf(plan: Plan, attempt: Played['attempts'][number]): AttemptOfRun {
  const job = plan.jobs[attempt.job]!;
  const first = plan.jobs[0]!.atMs;
  const { startedAt, endedAt, assignedAt } = attempt;
  return {
    ...emptyRow,
    job: job.name,
    index: attempt.index,
    attempt: attempt.attempt,
    device: plan.devices[attempt.device]!.name,
    outcome: attempt.outcome,
    waited_seconds: ((startedAt ?? assignedAt) - job.atMs) / 1000,
    ran_seconds: startedAt === null ? null : (endedAt - startedAt) / 1000,
    assigned_at: (assignedAt - first) / 1000,
    ended_at: (endedAt - first) / 1000,
    work_seconds: job.workSeconds[attempt.index]!,
    checkpoints: attempt.checkpoints,
    resumed_from: attempt.resumedFrom,
  };
}
