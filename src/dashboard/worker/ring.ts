// The ring: sixty ticks, one for each of the last tasks of a round, and inside it an arc for each present task.

import type { DeviceState, Done } from '../../worker/browser/page-messages.ts';
import { digits } from './wording.ts';

export const tickCount = 60;
const arcsAtMost = 3;

export type Tick = 'done' | 'failed' | 'open';

export interface Ring {
  readonly ticks: readonly Tick[];
  /** Full rounds before this one. */
  readonly rounds: number;
  /** Progress from 0 to 1; null: not told. */
  readonly arcs: readonly (number | null)[];
  /** Tasks for which there is no arc. */
  readonly more: number;
  /** What stands in the middle. */
  readonly figure: string;
  readonly label: string;
  /** The arcs stand still: nothing runs. */
  readonly isStill: boolean;
}

type RingState = Pick<DeviceState, 'recent' | 'doneEver' | 'today'>;

export function ringOf(
  { recent, doneEver, today }: RingState,
  progress: readonly (number | null)[],
  isStill: boolean,
): Ring {
  return {
    ...roundOf(recent, doneEver),
    arcs: progress.slice(0, arcsAtMost),
    more: Math.max(0, progress.length - arcsAtMost),
    figure: digits(today.tasks),
    label: today.tasks === 1 ? 'task done today' : 'tasks done today',
    isStill,
  };
}

/** At the end: what was done since it began. */
export function ringOfSession({ tasks }: Done): Ring {
  return {
    ...roundOf([], tasks),
    arcs: [],
    more: 0,
    figure: digits(tasks),
    label: tasks === 1 ? 'task done' : 'tasks done',
    isStill: true,
  };
}

function roundOf(recent: RingState['recent'], doneEver: number): Pick<Ring, 'ticks' | 'rounds'> {
  // A round that is full stays until the next task begins another.
  const rounds = doneEver === 0 ? 0 : Math.floor((doneEver - 1) / tickCount);
  const lit = doneEver - rounds * tickCount;
  const first = recent.length - lit;
  const ticks = Array.from(
    { length: tickCount },
    (_, i): Tick => (i < lit ? (recent[first + i] ?? 'done') : 'open'),
  );
  return { ticks, rounds };
}

/** With less motion an arc moves in tenths only. */
export function steadied(ring: Ring): Ring {
  const arcs = ring.arcs.map((arc) => (arc === null ? null : Math.floor(arc * 10) / 10));
  return { ...ring, arcs };
}
