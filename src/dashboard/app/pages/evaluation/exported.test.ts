import { expect, test } from 'vitest';
import type { AttemptOfHistory } from '../../../../protocol/evaluation.ts';
import { workersAsCsv } from './exported.ts';

test('a worker is a line, with the spread of the attempts that are kept and how many they are', () => {
  const worker = {
    worker_id: 'w1',
    name: 'desk, left',
    registered: true,
    type: 'pc',
    tasks_completed: 310,
    tasks_failed: 2,
  };
  const attempts = [1, 2, 3].map((seconds) => ({
    worker_id: 'w1',
    status: 'completed',
    started_at: '2026-05-04T09:30:00.000Z',
    ended_at: `2026-05-04T09:30:0${seconds}.000Z`,
  })) as unknown as readonly AttemptOfHistory[];
  const csv = workersAsCsv({
    load: {
      jains_fairness_index: 1,
      coefficient_of_variation: 0,
      workers: [{ ...worker, active_tasks: 1, busy_seconds: 128.4, share: 0.257 }],
    },
    performance: [
      {
        ...worker,
        platform: 'linux',
        average_task_time_seconds: 0.414,
        throughput: 2.41,
        energy_joules: null,
        energy_joules_per_task: null,
        failure_rate: 0.0064,
      },
    ],
    attempts,
  });
  const [head, line] = csv.split('\r\n');
  expect(head!.split(',')).toHaveLength(16);
  expect(line).toBe('w1,"desk, left",pc,linux,310,2,0.257,128.4,0.414,3,2,1,3,2.41,0.0064,');
});
