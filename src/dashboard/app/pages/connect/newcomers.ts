// Who has joined a short while ago, and who waits to be let in.

import { makeInWords } from '../../look/states.ts';
import type { Worker } from '../../store/cluster.ts';
import { restText } from '../../../../protocol/resting.ts';
import { counted } from '../../text/words.ts';
import { grouped, memory, wholePercent } from '../../text/numbers.ts';

const recentMs = 60 * 60 * 1000;
const shown = 12;

export interface Newcomers {
  /** Those who came first, first: they have waited longest. */
  readonly waiting: readonly Worker[];
  /** Newest first. */
  readonly joined: readonly Worker[];
}

/** `linkId`: whoever came by it is shown however long ago that was. */
export function newcomersOf(
  workers: readonly Worker[],
  linkId: string | null,
  nowMs: number,
): Newcomers {
  const byTime = workers.toSorted((a, b) => (a.registered_at < b.registered_at ? 1 : -1));
  const joined = byTime.filter(
    (worker) =>
      !isWaiting(worker) &&
      (nowMs - Date.parse(worker.registered_at) < recentMs || isBy(worker, linkId)),
  );
  return { waiting: byTime.filter(isWaiting).toReversed(), joined: joined.slice(0, shown) };
}

export function isWaiting({ status, waits_until: end }: Worker): boolean {
  return status === 'waiting' || end !== undefined;
}

export function isBy({ joined_by: by }: Worker, linkId: string | null): boolean {
  return linkId !== null && by?.token_id === linkId;
}

/** What it says of itself: `Android, 8 cores, 8.2 GB, 83 % charged`. */
export function claimsOf(worker: Worker): string {
  const { telemetry, slots } = worker;
  const { cpu_cores: cores, ram_total_mb: ram, battery_level_percent: battery } = telemetry;
  return [
    makeInWords(worker),
    typeof cores === 'number' ? counted(cores, 'core') : counted(slots, 'slot'),
    ...(typeof ram === 'number' ? [memory(ram)] : []),
    ...(typeof battery === 'number' ? [`${wholePercent(battery)} charged`] : []),
  ].join(', ');
}

/** What it has done since it joined. */
export function sinceOf({
  total_completed: completed,
  total_failed: failed,
  active_tasks: active,
  rests_because: rest,
  draining,
  status,
}: Worker): string {
  if (status === 'offline') return 'away again';
  if (status === 'quarantined') return 'fails what others finish';
  if (draining !== null || (completed === 0 && failed > 0)) {
    return failed === 0
      ? 'is given nothing'
      : `${grouped(failed)} of ${counted(completed + failed, 'attempt')} failed`;
  }
  if (rest !== null) return `rests: ${restText(rest)}`;
  if (completed > 0) return `${counted(completed, 'task')} done`;
  return active > 0 ? 'at its first task' : 'ready';
}
