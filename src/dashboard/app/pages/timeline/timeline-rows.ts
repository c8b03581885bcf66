// Attempts as rows: a row for each slot, slots of a device together, devices by name, so that a place stays a place.

import type { AttemptHistory, AttemptOfHistory } from '../../../../protocol/evaluation.ts';
import { barKinds, cameTo } from '../../parts/attempt-bars.ts';
import type { GanttBar, GanttGroup } from '../../parts/gantt-rows.ts';
import type { Span } from '../../parts/time-scale.ts';
import { grouped } from '../../text/numbers.ts';
import { clock, duration } from '../../text/times.ts';
import { compareNames } from '../../text/words.ts';

export interface TimelineSources {
  readonly attempts: readonly AttemptOfHistory[];
  readonly nameOfWorker: (id: string) => string;
  readonly nameOfJob: (id: string) => string;
  /** Name of a token. */
  readonly colourOf: (jobId: string) => string;
}

export function timelineGroups(
  sources: TimelineSources,
  { span, nowMs }: { readonly span: Span; readonly nowMs: number },
): readonly GanttGroup[] {
  const workers = new Map<string, { slots: Map<number, GanttBar[]>; loose: GanttBar[] }>();
  const areSeveral = sources.attempts.some(({ job_id: id }) => id !== sources.attempts[0]!.job_id);
  const letterMs = areSeveral ? ((span.to - span.from) * letterWidth) / usualWidth : null;
  for (const attempt of sources.attempts) {
    const bar = barOf(attempt, sources, { letterMs, nowMs });
    if (bar === null || (bar.to ?? nowMs) < span.from || bar.from > span.to) continue;
    const worker = workers.get(attempt.worker_id) ?? {
      slots: new Map<number, GanttBar[]>(),
      loose: [],
    };
    workers.set(attempt.worker_id, worker);
    if (attempt.slot === null) {
      worker.loose.push(bar);
      continue;
    }
    const bars = worker.slots.get(attempt.slot) ?? [];
    worker.slots.set(attempt.slot, bars);
    bars.push(bar);
  }
  return [...workers]
    .map(([id, { slots, loose }]) => ({
      id,
      name: sources.nameOfWorker(id),
      href: `/workers/${encodeURIComponent(id)}`,
      rows: [
        ...[...slots].toSorted(([a], [b]) => a - b).map(([, bars]) => bars.toSorted(byBegin)),
        ...lanesOf(loose),
      ].map((bars, place) => ({ id: `${id} ${place}`, bars })),
    }))
    .toSorted((a, b) => compareNames(a.name, b.name));
}

/** When attempts are left out: of what ended, the newest are told. Null: all are here. */
export function undrawnSpan({
  attempts,
  left_out: left,
  kept_since: keptSince,
}: AttemptHistory): Span | null {
  if (left === 0) return null;
  const ends = attempts.flatMap(({ ended_at: end }) => (end === null ? [] : [Date.parse(end)]));
  if (ends.length === 0) return null;
  const to = ends.reduce((least, each) => Math.min(least, each));
  return { from: Math.min(to, Date.parse(keptSince)), to };
}

/** The first slots of each device, as many of all as there is room for: at least one of each. */
export function fewRows(groups: readonly GanttGroup[], most: number): readonly GanttGroup[] {
  const each = Math.max(1, Math.floor(most / Math.max(1, groups.length)));
  return groups.map((group) => ({
    ...group,
    rows: group.rows.slice(0, each),
    more: Math.max(0, group.rows.length - each),
  }));
}

/** Pixels: a name stands on a bar that has room for all of it. */
const letterWidth = 6.5;
const usualWidth = 1_000;

const byBegin = (a: GanttBar, b: GanttBar): number => a.from - b.from;

/** What no slot is known of lies in as many rows as it takes. */
function lanesOf(bars: readonly GanttBar[]): readonly (readonly GanttBar[])[] {
  const lanes: GanttBar[][] = [];
  for (const bar of bars.toSorted(byBegin)) {
    const free = lanes.find((lane) => (lane.at(-1)!.to ?? Number.POSITIVE_INFINITY) <= bar.from);
    if (free === undefined) lanes.push([bar]);
    else free.push(bar);
  }
  return lanes;
}

/** Null: it never began, so it took no slot. */
function barOf(
  attempt: AttemptOfHistory,
  sources: TimelineSources,
  /** Null: all are of one job, and none has to be named. */
  { letterMs, nowMs }: { readonly letterMs: number | null; readonly nowMs: number },
): GanttBar | null {
  const kind = barKinds[attempt.status];
  if (kind === undefined || attempt.started_at === null) return null;
  const from = Date.parse(attempt.started_at);
  const to = attempt.ended_at === null ? null : Date.parse(attempt.ended_at);
  const job = sources.nameOfJob(attempt.job_id);
  return {
    id: `${attempt.task_id} ${attempt.attempt}`,
    from,
    to: to === null ? null : Math.max(from, to),
    kind,
    colour: sources.colourOf(attempt.job_id),
    ...(letterMs !== null && (to ?? nowMs) - from > (job.length + 2) * letterMs
      ? { label: job }
      : {}),
    // Of thousands only the one that is pointed at is told.
    get told() {
      return toldOf(attempt, job, { from, to });
    },
    href: `/jobs/${encodeURIComponent(attempt.job_id)}/tasks/${attempt.index}`,
  };
}

function toldOf(
  attempt: AttemptOfHistory,
  job: string,
  { from, to }: { readonly from: number; readonly to: number | null },
): string {
  const lasted = to === null ? '' : ` after ${duration(Math.max(0, to - from) / 1000)}`;
  return `${job}, task ${grouped(attempt.index)}, attempt ${grouped(attempt.attempt)}: ${cameTo(attempt)}${lasted}, since ${clock(new Date(from))}.`;
}
