// Jobs, workers and counters for tests: what a test does not name is as it is when all is well.

import type { TaskCounts } from '../../../../../protocol/resources.ts';
import type { JobHead, Worker } from '../../../store/cluster.ts';
import type { Counters } from '../../../store/counters.ts';

export const nowMs = Date.parse('2026-05-04T12:00:00.000Z');
export const before = (seconds: number): string => new Date(nowMs - 1000 * seconds).toISOString();

export const countsOf = (some: Partial<TaskCounts> = {}): TaskCounts => ({
  pending: 0,
  assigned: 0,
  running: 0,
  completed: 0,
  failed: 0,
  cancelled: 0,
  ...some,
});

export const jobOf = (some: Partial<JobHead> = {}): JobHead => ({
  id: 'job-1',
  name: 'docking',
  status: 'running',
  task_count: 100,
  created_at: before(600),
  completed_at: null,
  client_id: 'noor',
  held_since: null,
  priority: 0,
  started_at: before(599),
  counts: countsOf({ running: 2, pending: 40, completed: 58 }),
  progress: 0.58,
  error: null,
  expires_at: null,
  rate_per_second: 6.6,
  eta: { seconds: 600, low: 480, high: 780, method: '', reason: null },
  ...some,
});

export const workerOf = (some: Partial<Worker> = {}): Worker => ({
  id: 'worker-1',
  type: 'pc',
  platform: 'linux',
  status: 'busy',
  draining: null,
  leaving: false,
  rests_because: null,
  rests_since: null,
  active_tasks: 2,
  total_completed: 58,
  last_heartbeat: before(2),
  name: 'atlas',
  slots: 4,
  kinds: ['javascript'],
  labels: {},
  isolation: 'ses',
  version: null,
  lease_seconds: 15,
  total_failed: 0,
  registered_at: before(6_000),
  telemetry: {},
  score: null,
  ...some,
});

export const countersOf = (some: Partial<Counters> = {}): Counters => ({
  type: 'counters',
  at: new Date(nowMs).toISOString(),
  interval_seconds: 1,
  tasks: countsOf({ running: 2, pending: 40 }),
  completed_since: 0,
  failed_since: 0,
  jobs: { open: 1, pending: 0, running: 1, completed: 0, failed: 0, cancelled: 0 },
  workers: { online: 0, busy: 1, offline: 0, waiting: 0, draining: 0, quarantined: 0 },
  slots: { total: 4, taken: 2 },
  open_jobs: [],
  open_jobs_left_out: 0,
  ...some,
});
