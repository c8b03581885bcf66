// What keeps a worker from a task, as the records say it now.

import { hasFreeSlot, isOnProbe, unmet } from '../../core/eligibility.ts';
import { pausesUntil } from '../../core/refusals.ts';
import type { Requirements, WorkerRecord } from '../../core/records.ts';
import type { Hindrance } from '../../protocol/hindrances.ts';
import { restText } from '../../protocol/resting.ts';
import { counted, duration } from '../../protocol/wording.ts';
import type { Absence } from './pass-record.ts';

/** Why the worker cannot be given any task now. */
export function* absence(worker: WorkerRecord, now: number): Generator<Hindrance> {
  if (worker.connection.state === 'offline') {
    const text = `offline, last heard of ${duration(now - worker.lastSeenAt)} ago`;
    return yield { code: 'offline', text };
  }
  if (worker.quarantine !== null && !isOnProbe(worker)) {
    const left = duration(worker.quarantine.until - now);
    const text = `quarantined for another ${left}: it failed what succeeded elsewhere`;
    yield { code: 'quarantined', text };
  }
  if (worker.waitsUntil !== null) {
    yield { code: 'waiting', text: 'waiting for a person to let it in' };
  }
  if (worker.draining !== null) {
    yield { code: 'draining', text: 'draining: it finishes what it has and takes nothing new' };
  }
  if (worker.connection.state === 'grace') yield absenceTexts.connection_closed;
  if (worker.leaving) yield absenceTexts.leaving;
  if (worker.rest !== null) {
    yield { code: 'resting', text: `resting: ${restText(worker.rest.because)}` };
  }
  if (worker.asleep) yield absenceTexts.asleep;
}

/** Why it is given nothing for a while, although it could be; what it has said only to who sees all. */
export function* unwillingness(
  worker: WorkerRecord,
  now: number,
  tellsAll = true,
): Generator<Hindrance> {
  const until = pausesUntil(worker, now);
  if (until === 0) return;
  const { reason } = worker.unwilling!;
  const why = reason === null || !tellsAll ? '' : ` (the last: ${reason})`;
  const again = `is asked again in ${duration(until - now)}`;
  const text = `refuses tasks of one job after another${why}, ${again}`;
  yield { code: 'refused_here', text };
}

/** Of workers that are in the matrix. */
export const absenceTexts = {
  connection_closed: {
    code: 'connection_closed',
    text: 'its connection closed a moment ago; it may come back',
  },
  leaving: { code: 'leaving', text: 'about to leave' },
  resting: { code: 'resting', text: 'resting, as its owner or its device wanted' },
  unwilling: {
    code: 'refused_here',
    text: 'it refused tasks of one job after another, and pauses',
  },
  asleep: { code: 'asleep', text: 'asleep: it let an assignment lie, and has not asked since' },
} as const satisfies Record<Absence, Hindrance>;

/** Why the worker cannot run such tasks, unless it changes. */
export function mismatch(
  worker: WorkerRecord,
  kind: string,
  requirements: Requirements | null,
): readonly Hindrance[] {
  const found: Hindrance[] = [];
  if (!worker.kinds.includes(kind)) found.push(otherKinds(worker.kinds, kind));
  const missing = requirements === null ? undefined : unmet(worker, requirements);
  if (missing !== undefined) found.push({ code: 'requirement', text: missing });
  return found;
}

/** Of many workers that run something else the same is said at every decision. */
function otherKinds(kinds: readonly string[], kind: string): Hindrance {
  let said = saidOfKinds.get(kinds);
  if (said?.kind !== kind) {
    const text = `does not run ${kind}, only ${kinds.join(', ')}`;
    said = { kind, hindrance: { code: 'kind', text } };
    saidOfKinds.set(kinds, said);
  }
  return said.hindrance;
}

const saidOfKinds = new WeakMap<
  readonly string[],
  { readonly kind: string; readonly hindrance: Hindrance }
>();

export function* fullness(worker: WorkerRecord): Generator<Hindrance> {
  if (hasFreeSlot(worker)) return;
  const { activeTasks, slots, quarantine } = worker;
  const text =
    quarantine === null
      ? slotsText(activeTasks, slots)
      : 'on probe after its quarantine: one task at a time';
  yield { code: 'no_free_slot', text };
}

export function slotsText(activeTasks: number, slots: number): string {
  if (activeTasks === slots) return `no free slot: ${slots} of ${slots} taken`;
  return `no free slot: ${counted(activeTasks, 'task')} for ${counted(slots, 'slot')}`;
}
