// The evaluation of the work as text. A value that is not known yet is a dash, never NaN.

import type { EvaluationMetrics, WorkerPerformance } from '../../client/index.ts';
import { renderFacts, renderTable } from './table.ts';
import type { Colors } from './colors.ts';
import { counted, duration, grouped, percent } from './wording.ts';

export function metricsText(metrics: EvaluationMetrics): string {
  const { jobs, tasks, checkpoints, recovery, scheduler } = metrics;
  const times = metrics.job_execution_time_seconds;
  return renderFacts([
    [
      'jobs',
      `${grouped(jobs.total)}: ${jobs.running} running, ${grouped(jobs.completed)} completed, ` +
        `${jobs.failed} failed, ${jobs.cancelled} cancelled`,
    ],
    [
      'tasks',
      `${grouped(tasks.total)}: ${grouped(tasks.completed)} completed, ${tasks.failed} failed, ` +
        `${tasks.retried} retried, ${tasks.recovered} recovered`,
    ],
    [
      'job time',
      `mean ${seconds(times.mean)}, median ${seconds(times.median)}, p95 ${seconds(times.p95)}, ` +
        `max ${seconds(times.max)}`,
    ],
    ['task time', `mean ${taskTime(metrics.average_task_time_seconds)}`],
    ['throughput', rate(metrics.throughput_tasks_per_second)],
    ['fairness', `${number(metrics.jains_fairness_index)} (Jain; 1 is even)`],
    ['energy', joules(metrics.energy_joules)],
    ['checkpoints', `${grouped(checkpoints.count)}, ${grouped(checkpoints.bytes)} bytes`],
    [
      'recovery',
      `${grouped(recovery.events)} lost attempts, ${seconds(recovery.mean_seconds_to_resume)} to ` +
        `resume, ${seconds(recovery.work_saved_seconds)} of work saved`,
    ],
    ['scheduler', `${scheduler.algorithm}; ${decisionsText(scheduler)}`],
  ]);
}

export function performanceTable(
  workers: readonly WorkerPerformance[],
  names: ReadonlyMap<string, string | null>,
  colors: Colors,
): string {
  return renderTable<WorkerPerformance>(
    [
      {
        title: 'WORKER',
        cell: ({ worker_id: id, name, registered }) =>
          `${names.get(id) ?? name ?? id}${registered ? '' : ' (removed)'}`,
      },
      { title: 'TYPE', cell: ({ type, platform }) => `${type} ${platform}` },
      { title: 'COMPLETED', align: 'right', cell: (each) => grouped(each.tasks_completed) },
      { title: 'FAILED', align: 'right', cell: (each) => percent(each.failure_rate) },
      {
        title: 'TASK TIME',
        align: 'right',
        cell: (each) => taskTime(each.average_task_time_seconds),
      },
      { title: 'THROUGHPUT', align: 'right', cell: (each) => workerRate(each.throughput) },
      { title: 'ENERGY/TASK', align: 'right', cell: (each) => joules(each.energy_joules_per_task) },
    ],
    workers,
    colors.dim,
  );
}

function seconds(value: number | null): string {
  return value === null ? '-' : duration(value * 1_000);
}

/** `23 decisions by fifo, 18 µs each`; of several algorithms the mean is that of all. */
function decisionsText(scheduler: EvaluationMetrics['scheduler']): string {
  const { decisions, decisions_by_algorithm: counts, mean_decision_microseconds: mean } = scheduler;
  if (decisions === 0) return 'no decisions yet';
  const algorithms = Object.entries(counts);
  const by = algorithms.map(([id, count]) =>
    algorithms.length === 1 ? id : `${id} (${grouped(count)})`,
  );
  const each = mean === null ? '' : `, ${number(mean, 0)} µs each`;
  return `${counted(decisions, 'decision')} by ${by.join(', ')}${each}`;
}

/** What takes less is told as that: a mean of microseconds says nothing of a worker. */
const LEAST_TASK_SECONDS = 0.001;

function taskTime(value: number | null): string {
  return value !== null && value < LEAST_TASK_SECONDS ? '< 1 ms' : seconds(value);
}

/** Tasks that take less than a millisecond count as one. */
function workerRate(value: number): string {
  return value >= 1 / LEAST_TASK_SECONDS ? '≥ 1 000/s' : rate(value);
}

function rate(value: number | null): string {
  return value === null ? '-' : `${value < 10 ? value.toFixed(2) : grouped(Math.round(value))}/s`;
}

function joules(value: number | null): string {
  return value === null ? '-' : `${value < 10 ? value.toFixed(2) : grouped(Math.round(value))} J`;
}

function number(value: number | null, digits = 2): string {
  return value === null ? '-' : value.toFixed(digits);
}
