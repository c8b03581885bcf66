// How long each configuration of the scheduler was in force: what was measured under one can be held against another.

import type { SchedulerHistoryEntry } from '../../../../client/scheduler.ts';
import { moment } from '../../text/times.ts';
import { textOf } from './subject.ts';

interface TimeInForce {
  /** As the address has it. */
  readonly value: string;
  readonly text: string;
}

/** Less cannot be told apart: work is counted in steps of this length. */
const shortestMs = 10_000;

/** `changes`: newest first, as are the times. Those too short to say anything are left out. */
export function timesInForce(
  changes: readonly SchedulerHistoryEntry[],
  nowMs: number,
): readonly TimeInForce[] {
  return changes.flatMap(({ at, algorithm }, place) => {
    const until = changes[place - 1]?.at;
    if (until === undefined) {
      const value = textOf({ kind: 'since', at });
      return [{ value, text: `${algorithm}, since ${moment(at, nowMs)}` }];
    }
    if (Date.parse(until) - Date.parse(at) < shortestMs) return [];
    const value = textOf({ kind: 'between', at, until });
    return [{ value, text: `${algorithm}, ${moment(at, nowMs)} to ${moment(until, nowMs)}` }];
  });
}
