// The evaluation as files: all that was read as JSON, and a line for each worker as CSV.

import type {
  AttemptOfHistory,
  LoadDistribution,
  WorkerPerformance,
} from '../../../../protocol/evaluation.ts';
import { csvOf } from '../../parts/csv.ts';
import { spreadOf, timesByWorker } from './spread.ts';

const head = [
  'worker_id',
  'name',
  'type',
  'platform',
  'tasks_completed',
  'tasks_failed',
  'share',
  'busy_seconds',
  'average_task_time_seconds',
  'attempts_kept',
  'median_seconds',
  'p5_seconds',
  'p95_seconds',
  'throughput',
  'failure_rate',
  'energy_joules',
];

/** By the names of the interface. What is of attempts is of those that are kept, and says of how many. */
export function workersAsCsv({
  load,
  performance,
  attempts,
}: {
  readonly load: LoadDistribution;
  readonly performance: readonly WorkerPerformance[];
  readonly attempts: readonly AttemptOfHistory[];
}): string {
  const loads = new Map(load.workers.map((each) => [each.worker_id, each]));
  const times = timesByWorker(attempts);
  const rows = performance.map((each) => {
    const one = loads.get(each.worker_id);
    const spread = spreadOf(times.get(each.worker_id) ?? []);
    return [
      each.worker_id,
      each.name,
      each.type,
      each.platform,
      each.tasks_completed,
      each.tasks_failed,
      one?.share ?? null,
      one?.busy_seconds ?? null,
      each.average_task_time_seconds,
      spread?.n ?? 0,
      spread?.median ?? null,
      spread?.p5 ?? null,
      spread?.p95 ?? null,
      each.throughput,
      each.failure_rate,
      each.energy_joules,
    ];
  });
  return csvOf(head, rows);
}
