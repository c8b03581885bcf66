// How long each attempt of a trace kept a slot of its worker: its run time, and what came before it, as the start of a
// sandbox or the handing over of a task. It began when the attempt was there and the slot was free. Which slot that
// was is not in the trace: the one that became free last is taken, so no more is counted than there was.

import type { TracedWorker } from './trace.ts';
import type { RecordOf } from './trace-format.ts';

type Attempt = RecordOf<'attempt'>;

/** When it ran: its worker says how long, the coordinator when it was over. */
export function runOf({ ended_ms: to, run_ms: ms }: Attempt): { from: number; to: number } {
  return { from: to - ms, to };
}

/**
 * From when on each attempt kept its slot, until its end. `roundTripMs` passes between an assignment and its result
 * anyway, and is played by itself; an attempt that waited for its slot does not wait for that.
 */
export function occupationsOf(
  { described, attempts }: Pick<TracedWorker, 'described' | 'attempts'>,
  roundTripMs: number,
): ReadonlyMap<Attempt, number> {
  const free: number[] = Array.from({ length: described?.slots ?? 1 }, () => -Infinity);
  const begun = attempts
    .filter(({ run_ms: ms }) => ms > 0)
    .sort((a, b) => runOf(a).from - runOf(b).from);
  const occupied = new Map<Attempt, number>();
  for (const attempt of begun) {
    const { from, to } = runOf(attempt);
    const slot = slotFor(free, from);
    const there = (attempt.assigned_ms ?? from) + roundTripMs;
    const freedAt = free[slot]!;
    occupied.set(attempt, Math.min(from, Math.max(there, freedAt)));
    free[slot] = to;
  }
  return occupied;
}

/** The place that became free last before the moment; where all are taken, the one that is free first. */
function slotFor(free: readonly number[], at: number): number {
  let best = 0;
  for (let slot = 1; slot < free.length; slot++) {
    const [one, other] = [free[slot]!, free[best]!];
    const isBetter = one <= at ? other > at || one > other : other > at && one < other;
    if (isBetter) best = slot;
  }
  return best;
}
