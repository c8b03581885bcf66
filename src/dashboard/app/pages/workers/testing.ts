// A worker for tests, and how it differs from one that is well.

import type { Worker } from '../../store/cluster.ts';

export const nowMs = Date.parse('2026-03-02T14:00:00.000Z');

/** Seconds before now. */
export const before = (seconds: number): string => new Date(nowMs - 1000 * seconds).toISOString();

export function aWorker(differs: Partial<Worker> = {}): Worker {
  return {
    id: 'w1',
    type: 'pc',
    platform: 'linux',
    status: 'online',
    draining: null,
    leaving: false,
    rests_because: null,
    rests_since: null,
    active_tasks: 0,
    total_completed: 0,
    last_heartbeat: before(1),
    name: 'atlas',
    slots: 4,
    kinds: ['javascript'],
    labels: {},
    isolation: 'ses',
    version: '0.1.0',
    lease_seconds: 15,
    total_failed: 0,
    registered_at: before(3600),
    telemetry: {},
    score: null,
    ...differs,
  };
}
