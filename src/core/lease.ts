// How long a worker may be silent. The lease is the same for all workers, except those that ask for a
// longer one because they cannot speak so often: a hidden web page is woken once a minute.

import type { WorkerRecord } from './records.ts';
import type { CoreSettings } from './settings.ts';

/** The lease that a worker asked for, but not shorter than the common one, nor longer than the longest. */
export function leaseOf(
  { settings }: { readonly settings: Pick<CoreSettings, 'leaseMs' | 'longestLeaseMs'> },
  { leaseMs }: Pick<WorkerRecord, 'leaseMs'>,
): number {
  const asked = Math.min(leaseMs ?? 0, settings.longestLeaseMs);
  return Math.max(settings.leaseMs, asked);
}
