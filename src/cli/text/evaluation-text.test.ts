import { expect, test } from 'vitest';
import type { WorkerPerformance } from '../../client/index.ts';
import { createColors } from './colors.ts';
import { performanceTable } from './evaluation-text.ts';

function performance(rest: Partial<WorkerPerformance>): WorkerPerformance {
  return {
    worker_id: 'w',
    name: null,
    registered: true,
    type: 'pc',
    platform: 'linux',
    tasks_completed: 4,
    tasks_failed: 0,
    average_task_time_seconds: 0.5,
    throughput: 2,
    energy_joules: 8,
    energy_joules_per_task: 2,
    failure_rate: 0,
    ...rest,
  };
}

test('tasks too short to measure a worker by, unknown energy and removed workers are told as such', () => {
  const empty = { average_task_time_seconds: 0.000_002, throughput: 1000 };
  const unknown = { energy_joules: null, energy_joules_per_task: null };
  const table = performanceTable(
    [
      performance({ worker_id: 'a' }),
      performance({ worker_id: 'b', name: 'old', registered: false, ...empty, ...unknown }),
    ],
    new Map([['a', 'desk']]),
    createColors(false),
  );
  const [, first, second] = table.split('\n').map((line) => line.trim().split(/ {2,}/));
  expect(first).toEqual(['desk', 'pc linux', '4', '0 %', '500 ms', '2.00/s', '2.00 J']);
  expect(second).toEqual(['old (removed)', 'pc linux', '4', '0 %', '< 1 ms', '≥ 1 000/s', '-']);
});
