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

export function attemptsText(plan: Plan, played: Played, form: 'csv' | 'ndjson'): string {
  const rows = attemptsOf(plan, played);
  if (form === 'ndjson') return rows.map((row) => `${JSON.stringify(row)}\n`).join('');
  const names = Object.keys(emptyRow) as (keyof AttemptOfRun)[];
  const line = (row: AttemptOfRun) => csvLine(names.map((name) => row[name]));
  return [csvLine(names), ...rows.map(line)].join('');
}

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

function attemptsOf(plan: Plan, { attempts }: Played): readonly AttemptOfRun[] {
  const first = plan.jobs[0]!.atMs;
  return attempts.map((row) => {
    const job = plan.jobs[row.job]!;
    const { startedAt, endedAt, assignedAt } = row;
    return {
      ...emptyRow,
      job: job.name,
      index: row.index,
      attempt: row.attempt,
      device: plan.devices[row.device]!.name,
      outcome: row.outcome,
      waited_seconds: ((startedAt ?? assignedAt) - job.atMs) / 1000,
      ran_seconds: startedAt === null ? null : (endedAt - startedAt) / 1000,
      assigned_at: (assignedAt - first) / 1000,
      ended_at: (endedAt - first) / 1000,
      work_seconds: job.workSeconds[row.index]!,
      checkpoints: row.checkpoints,
      resumed_from: row.resumedFrom,
    };
  });
}
