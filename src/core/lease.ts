// How long a worker may be silent. The lease is the same for all workers, except those that ask for a
// longer one because they cannot speak so often: a hidden web page is woken once a minute. A device that
// may fall asleep asks for a *lease for now*, from one heartbeat to the next, which is also its grace after
// a closed connection: what sleeps closes connections.

import type { WorkerRecord } from './records.ts';
import type { CoreSettings } from './settings.ts';

/** The lease that a worker asked for, but not shorter than the common one, nor longer than the longest. */
export function leaseOf(
  { settings }: { readonly settings: Pick<CoreSettings, 'leaseMs' | 'longestLeaseMs'> },
  { leaseMs, leaseNowMs = null }: Pick<WorkerRecord, 'leaseMs'> & Partial<WorkerRecord>,
): number {
  const asked = Math.min(leaseNowMs ?? leaseMs ?? 0, settings.longestLeaseMs);
  return Math.max(settings.leaseMs, asked);
}

/** How long a worker whose connection has closed may take to come back. */
export function graceOf(
  state: { readonly settings: CoreSettings },
  worker: Pick<WorkerRecord, 'leaseMs' | 'leaseNowMs'>,
): number {
  const { graceMs } = state.settings;
  return worker.leaseNowMs === null ? graceMs : Math.max(graceMs, leaseOf(state, worker));
}
