// Where there are more slots than a picture can hold: of each device the share of its slots that was busy, over time.

import type { GanttGroup } from '../../parts/gantt-rows.ts';
import type { Span } from '../../parts/time-scale.ts';

export interface HeatStrip {
  readonly id: string;
  readonly name: string;
  readonly href: string | undefined;
  /** 0 to 1 for each bucket of the span, oldest first. */
  readonly shares: readonly number[];
}

export function heatStrips(
  groups: readonly GanttGroup[],
  {
    span,
    nowMs,
    buckets,
  }: { readonly span: Span; readonly nowMs: number; readonly buckets: number },
): readonly HeatStrip[] {
  const length = (span.to - span.from) / buckets;
  return groups.map(({ id, name, href, rows }) => {
    const busy: number[] = [];
    for (let place = 0; place < buckets; place++) busy.push(0);
    for (const { bars } of rows) {
      for (const bar of bars) {
        const from = Math.max(bar.from, span.from) - span.from;
        const to = Math.min(bar.to ?? nowMs, span.to) - span.from;
        if (to <= from) continue;
        const first = Math.floor(from / length);
        const last = Math.min(buckets - 1, Math.floor(to / length));
        // All between the two is busy; what the ends have too much is taken away.
        for (let place = first; place <= last; place++) busy[place]! += length;
        busy[first]! -= from - first * length;
        busy[last]! -= (last + 1) * length - to;
      }
    }
    // Rows are slots that were busy at some moment of the span: of others nothing is known here.
    const whole = length * Math.max(1, rows.length);
    return { id, name, href, shares: busy.map((ms) => Math.min(1, ms / whole)) };
  });
}

/** Neighbours of about the same share. */
export interface HeatRun {
  readonly from: number;
  /** The bucket behind the last one. */
  readonly to: number;
  /** Above 0, one of so many. */
  readonly share: number;
}

/** What is drawn of a strip: thousands of buckets, but few changes between them. What was not busy is left out. */
export function runsOf(shares: readonly number[], steps: number): readonly HeatRun[] {
  const runs: HeatRun[] = [];
  let from = 0;
  let step = 0;
  for (let place = 0; place <= shares.length; place++) {
    // Whatever is there at all is seen.
    const next = Math.ceil((shares[place] ?? 0) * steps);
    if (next === step) continue;
    if (step > 0) runs.push({ from, to: place, share: step / steps });
    from = place;
    step = next;
  }
  return runs;
}

/** Of all that is shown, the share that was busy. `undrawn`: the buckets that are not drawn. */
export function meanShare(
  strips: readonly HeatStrip[],
  [from, to]: readonly [number, number] = [0, 0],
): number | null {
  const shares = strips.flatMap(({ shares: each }) => [...each.slice(0, from), ...each.slice(to)]);
  return shares.length === 0 ? null : shares.reduce((sum, each) => sum + each, 0) / shares.length;
}
