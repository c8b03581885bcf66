// The figures of an evaluation, each with the number of things it is of: without that, none is compared.

import type { EvaluationMetrics, LoadDistribution } from '../../../../protocol/evaluation.ts';
import { measured, percent, rate, unknown, withUnit } from '../../text/numbers.ts';
import { duration } from '../../text/times.ts';

export interface Figure {
  readonly id: string;
  readonly name: string;
  /** As `docs/reference/evaluation.md` has it. */
  readonly formula: string;
  /** Null: it cannot be told. */
  readonly value: number | null;
  readonly text: string;
  readonly n: number;
  /** What n counts. */
  readonly of: string;
  /** Which is better; without it, neither: much is saved where much is lost. */
  readonly better?: 'more' | 'less';
  /** It is a share of n: how it differs is told in points. */
  readonly isShare?: boolean;
  /** How many things chance had a hand in, where that is not n. */
  readonly drawn?: number;
}

const less = { better: 'less' } as const;

export function figuresOf(metrics: EvaluationMetrics, load: LoadDistribution): readonly Figure[] {
  const { tasks, jobs, recovery, job_execution_time_seconds: jobTime } = metrics;
  const ended = tasks.completed + tasks.failed;
  const figure = (
    [id, name, formula]: readonly [string, string, string],
    value: number | null,
    tell: (value: number) => string,
    [n, of]: readonly [number, string],
    more: Pick<Figure, 'better' | 'isShare' | 'drawn'> = less,
  ): Figure => ({
    ...more,
    id,
    name,
    formula,
    value: n === 0 ? null : value,
    text: n === 0 || value === null ? unknown : tell(value),
    n,
    of,
  });
  const completed = [tasks.completed, 'tasks'] as const;
  const jobsEnded = [jobs.completed, 'jobs'] as const;
  const quantile = { ...less, drawn: jobs.completed / 2 };
  const lost = [recovery.events, 'lost attempts'] as const;
  const energy = metrics.energy_joules;
  return [
    figure(
      ['throughput', 'Throughput', 'completed tasks / time in which a job was open'],
      metrics.throughput_tasks_per_second,
      rate,
      completed,
      { better: 'more' },
    ),
    figure(
      ['task-time', 'Time of a task, mean', 'time of completed tasks / completed tasks'],
      metrics.average_task_time_seconds,
      duration,
      completed,
    ),
    figure(
      ['fairness', "Load, Jain's index", '(sum of x)² / (n × sum of x²), x: tasks completed'],
      metrics.jains_fairness_index,
      (value) => `${measured(value)} ${evennessOf(value)}`,
      [load.workers.length, 'workers'],
      { better: 'more', drawn: tasks.completed },
    ),
    figure(
      ['failed', 'Tasks failed', 'failed / (completed + failed)'],
      ended === 0 ? null : tasks.failed / ended,
      percent,
      [ended, 'tasks'],
      { better: 'less', isShare: true },
    ),
    figure(
      ['job-median', 'Time of a job, median', 'completed at − created at, of completed jobs'],
      jobTime.median,
      duration,
      jobsEnded,
      quantile,
    ),
    figure(
      ['job-p95', 'Time of a job, p95', 'the smallest that 95 % do not exceed'],
      jobTime.p95,
      duration,
      jobsEnded,
      quantile,
    ),
    figure(
      ['energy', 'Energy of a task', 'energy / completed tasks'],
      energy === null ? null : energy / Math.max(1, tasks.completed),
      (value) => withUnit(measured(value), 'J'),
      completed,
    ),
    figure(
      ['saved', 'Work saved by checkpoints', 'work that a checkpoint spared the next attempt'],
      recovery.work_saved_seconds,
      duration,
      lost,
      {},
    ),
    figure(
      ['resume', 'Time to go on, mean', 'mean of resumed at − lost at'],
      recovery.mean_seconds_to_resume,
      duration,
      lost,
    ),
  ];
}

/** Jain's index in a word. */
export function evennessOf(index: number): string {
  if (index >= 0.95) return 'very even';
  if (index >= 0.8) return 'even';
  return index >= 0.6 ? 'uneven' : 'very uneven';
}
