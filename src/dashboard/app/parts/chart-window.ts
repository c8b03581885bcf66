// The stretch of time that a chart shows. A live one ends two seconds ago, so that its edge is never waited for,
// and moves at its own even pace: in whole pixels, whatever the data does.

import { clock } from '../text/times.ts';

const behindMs = 2_000;
const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** The right edge, at a whole pixel. */
export function liveEdge(nowMs: number, msPerPixel: number): number {
  return Math.floor((nowMs - behindMs) / msPerPixel) * msPerPixel;
}

/** How long until the edge moves by a pixel. */
export function nextMoveIn(nowMs: number, msPerPixel: number): number {
  return liveEdge(nowMs, msPerPixel) + msPerPixel + behindMs - nowMs;
}

const steps = [
  second,
  2 * second,
  5 * second,
  10 * second,
  15 * second,
  30 * second,
  minute,
  2 * minute,
  5 * minute,
  10 * minute,
  15 * minute,
  30 * minute,
  hour,
  2 * hour,
  3 * hour,
  6 * hour,
  12 * hour,
  day,
];
const leastBetween = 76;
/** A text has no room nearer to the right edge. */
const leastFromEdge = 10;

export interface TimeTick {
  readonly atMs: number;
  readonly text: string;
}

/** Round moments of the day, far enough apart to be read. `offsetMs`: of local time from UTC. */
export function timeTicks(
  fromMs: number,
  untilMs: number,
  width: number,
  offsetMs: number = -new Date(untilMs).getTimezoneOffset() * minute,
): readonly TimeTick[] {
  const least = (leastBetween * (untilMs - fromMs)) / Math.max(1, width);
  const step = steps.find((each) => each >= least) ?? Math.ceil(least / day) * day;
  const first = Math.ceil((fromMs + offsetMs) / step) * step - offsetMs;
  const last = untilMs - (leastFromEdge * (untilMs - fromMs)) / Math.max(1, width);
  const ticks: TimeTick[] = [];
  for (let atMs = first; atMs <= last; atMs += step) {
    ticks.push({ atMs, text: tickText(atMs, step) });
  }
  return ticks;
}

function tickText(atMs: number, step: number): string {
  const date = new Date(atMs);
  if (step >= day) return `${date.getMonth() + 1}-${String(date.getDate()).padStart(2, '0')}`;
  return step < minute ? clock(date) : clock(date).slice(0, 5);
}
