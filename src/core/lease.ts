// How long a worker may be silent. It is the same for all, but for those that say that they cannot speak
// so often: a hidden web page is woken once a minute.

import type { WorkerRecord } from './records.ts';
import type { CoreSettings } from './settings.ts';

/** Never shorter than that of everybody, and never without an end. */
export function leaseOf(
  { settings }: { readonly settings: Pick<CoreSettings, 'leaseMs' | 'longestLeaseMs'> },
  { leaseMs }: Pick<WorkerRecord, 'leaseMs'>,
): number {
  const asked = Math.min(leaseMs ?? 0, settings.longestLeaseMs);
  return Math.max(settings.leaseMs, asked);
}
