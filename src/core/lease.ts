// How long a worker may be silent. The lease is the same for all workers, except those that ask for a
// longer one because they cannot speak so often: a hidden web page is woken once a minute. A device that
// may fall asleep asks for a *lease for now*, from one heartbeat to the next, which is also its grace after
// a closed connection: what sleeps closes connections.

//
// How often workers speak depends on how many there are. A deadline is armed by the lease that holds when a worker is
// heard, and the interval is told in the answer to that: so the lease is never shorter than three of the intervals that
// a worker knows, also while their number rises.

import type { WorkerRecord } from './records.ts';
import type { State } from './state.ts';

const heartbeatsPerLease = 3;

type Crowd = Pick<State, 'settings' | 'mostWorkers'>;

/** Between two heartbeats of a worker. */
export function heartbeatMsOf({ settings, mostWorkers }: Crowd): number {
  const { heartbeatIntervalMs, heartbeatsPerSecond } = settings;
  if (heartbeatsPerSecond === null) return heartbeatIntervalMs;
  return Math.max(heartbeatIntervalMs, Math.ceil((mostWorkers * 1000) / heartbeatsPerSecond));
}

/** The lease that a worker asked for, but not shorter than the common one, nor longer than the longest. */
export function leaseOf(
  state: Crowd,
  { leaseMs, leaseNowMs = null }: Pick<WorkerRecord, 'leaseMs'> & Partial<WorkerRecord>,
): number {
  const { settings } = state;
  const asked = Math.min(leaseNowMs ?? leaseMs ?? 0, settings.longestLeaseMs);
  const heartbeatMs = heartbeatMsOf(state);
  const isStretched = heartbeatMs > settings.heartbeatIntervalMs;
  const common = isStretched ? heartbeatsPerLease * heartbeatMs : 0;
  return Math.max(settings.leaseMs, common, asked);
}

/** How long a worker whose connection has closed may take to come back. */
export function graceOf(
  state: Crowd,
  worker: Pick<WorkerRecord, 'leaseMs' | 'leaseNowMs'>,
): number {
  const { graceMs } = state.settings;
  return worker.leaseNowMs === null ? graceMs : Math.max(graceMs, leaseOf(state, worker));
}
