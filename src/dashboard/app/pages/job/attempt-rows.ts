// Attempts as rows of devices and their slots, with what went on from what.

import type {
  AttemptHistory,
  AttemptOfHistory as Attempt,
} from '../../../../protocol/evaluation.ts';
import type { CheckpointRecord, RecoveryEvent } from '../../../../protocol/resources.ts';
import { barKinds, cameTo } from '../../parts/attempt-bars.ts';
import type { GanttArrow, GanttBar, GanttGroup, GanttRow } from '../../parts/gantt-rows.ts';
import type { Span } from '../../parts/time-scale.ts';
import { grouped, withUnit } from '../../text/numbers.ts';
import { clock, duration } from '../../text/times.ts';
import { compareNames } from '../../text/words.ts';

export interface AttemptSources {
  readonly attempts: readonly Attempt[];
  readonly checkpoints: readonly CheckpointRecord[];
  readonly recoveries: readonly RecoveryEvent[];
  readonly nameOfWorker: (id: string) => string;
  /** Where a bar leads, by the index of its task. */
  readonly pathOf: (attempt: Attempt) => string;
}

export interface AttemptPicture {
  readonly groups: readonly GanttGroup[];
  readonly arrows: readonly GanttArrow[];
  /** Devices that did something of it in the span, but are not among the groups. */
  readonly hidden: number;
}

/** More arrows than these hide what they point at. */
const mostArrows = 40;

/** From then on no attempt is missing: they are the newest, by their ends, of those that are kept. */
export function wholeSince(history: AttemptHistory | null): number {
  if (history === null) return Number.NEGATIVE_INFINITY;
  const ends = history.attempts.flatMap(({ ended_at: at }) => (at === null ? [] : Date.parse(at)));
  const oldest = history.left_out === 0 ? undefined : ends.at(-1);
  return Math.max(Date.parse(history.kept_since), oldest ?? Number.NEGATIVE_INFINITY);
}

/** Devices on which something failed or was lost, and the busiest, at most `mostGroups`: the former first, each by name. */
export function attemptPicture(
  sources: AttemptSources,
  {
    span,
    nowMs,
    mostGroups,
    mostSlots,
  }: {
    readonly span: Span;
    readonly nowMs: number;
    readonly mostGroups: number;
    readonly mostSlots: number;
  },
): AttemptPicture {
  const marks = marksOf(sources.checkpoints);
  const byWorker = new Map<
    string,
    { busy: number; hasFailed: boolean; bars: Map<number, GanttBar[]> }
  >();
  for (const attempt of sources.attempts) {
    const bar = barOf(attempt, sources, marks);
    if (bar === null) continue;
    const end = bar.to ?? nowMs;
    if (end < span.from || bar.from > span.to) continue;
    const worker = byWorker.get(attempt.worker_id) ?? {
      busy: 0,
      hasFailed: false,
      bars: new Map<number, GanttBar[]>(),
    };
    byWorker.set(attempt.worker_id, worker);
    worker.busy += Math.min(end, span.to) - Math.max(bar.from, span.from);
    worker.hasFailed ||= bar.kind === 'failed' || bar.kind === 'lost';
    const slot = attempt.slot ?? -1;
    const bars = worker.bars.get(slot) ?? [];
    worker.bars.set(slot, bars);
    bars.push(bar);
  }
  const busiest = [...byWorker].toSorted(
    ([, a], [, b]) => Number(b.hasFailed) - Number(a.hasFailed) || b.busy - a.busy,
  );
  const told = toldRows(sources.attempts);
  // Which of them are busiest changes with each answer: those that are drawn keep their places.
  const drawn = busiest
    .slice(0, mostGroups)
    .map(([id, worker]) => [id, worker, sources.nameOfWorker(id)] as const)
    .toSorted(
      ([, a, one], [, b, other]) =>
        Number(b.hasFailed) - Number(a.hasFailed) || compareNames(one, other),
    );
  const groups = drawn.map(([id, { bars }, name]) => {
    const all = rowsOf(id, bars);
    const rows = busiestRows(all, mostSlots, told);
    return {
      id,
      name,
      href: `/workers/${encodeURIComponent(id)}`,
      rows,
      more: all.length - rows.length,
      ...noteOf(id, sources.recoveries),
    };
  });
  return {
    groups,
    arrows: arrowsOf(sources, groups, marks),
    hidden: busiest.length - groups.length,
  };
}

function rowsOf(
  workerId: string,
  bars: ReadonlyMap<number, readonly GanttBar[]>,
): readonly GanttRow[] {
  return [...bars]
    .toSorted(([a], [b]) => (a < 0 ? 1 : b < 0 ? -1 : a - b))
    .map(([slot, of]) => ({
      id: `${workerId} ${slot}`,
      bars: of.toSorted((a, b) => a.from - b.from),
    }));
}

/** Rows with something to tell: what was lost or failed there, or went on from elsewhere. */
function toldRows(attempts: readonly Attempt[]): ReadonlyMap<string, number> {
  const told = new Map<string, number>();
  for (const { worker_id: worker, slot, status, resumed_from_attempt: resumed } of attempts) {
    if (status === 'completed' && resumed === null) continue;
    const id = `${worker} ${slot ?? -1}`;
    const worth = status === 'running' || status === 'assigned' ? 0 : 1;
    told.set(id, (told.get(id) ?? 0) + worth + (resumed === null ? 0 : 1));
  }
  return told;
}

/** The rows with most to tell, in their order. */
function busiestRows(
  rows: readonly GanttRow[],
  most: number,
  told: ReadonlyMap<string, number>,
): readonly GanttRow[] {
  if (rows.length <= most) return rows;
  const kept = new Set(
    rows.toSorted((a, b) => (told.get(b.id) ?? 0) - (told.get(a.id) ?? 0)).slice(0, most),
  );
  return rows.filter((row) => kept.has(row));
}

type Marks = ReadonlyMap<string, readonly { readonly at: number; readonly progress: number }[]>;

function marksOf(checkpoints: readonly CheckpointRecord[]): Marks {
  const marks = new Map<string, { at: number; progress: number }[]>();
  for (const { task_index: index, attempt, created_at: at, progress } of checkpoints) {
    const id = idOf(index, attempt);
    const of = marks.get(id) ?? [];
    marks.set(id, of);
    of.push({ at: Date.parse(at), progress });
  }
  return marks;
}

function idOf(index: number, attempt: number): string {
  return `${index} ${attempt}`;
}

/** Null: it is not drawn, since it never took any time. */
function barOf(attempt: Attempt, { pathOf }: AttemptSources, marks: Marks): GanttBar | null {
  const kind = barKinds[attempt.status];
  if (kind === undefined) return null;
  const id = idOf(attempt.index, attempt.attempt);
  const from = Date.parse(attempt.started_at ?? attempt.assigned_at);
  const to = attempt.ended_at === null ? null : Date.parse(attempt.ended_at);
  return {
    id,
    from,
    to,
    kind,
    // Of thousands only the one that is pointed at is told.
    get told() {
      return toldOf(attempt, from, to);
    },
    href: pathOf(attempt),
    marks: (marks.get(id) ?? []).map(({ at }) => at),
  };
}

function toldOf(attempt: Attempt, from: number, to: number | null): string {
  const { index, resumed_from_progress: resumed, progress } = attempt;
  const begun = resumed === null ? '' : `, went on from ${whole(resumed)}`;
  const lasted =
    to === null ? `, at ${whole(progress)}` : ` after ${duration(Math.max(0, to - from) / 1000)}`;
  return `Task ${grouped(index)}, attempt ${grouped(attempt.attempt)}: ${cameTo(attempt)}${lasted}, since ${clock(new Date(from))}${begun}.`;
}

function whole(share: number): string {
  return withUnit(String(Math.round(100 * share)), '%');
}

function noteOf(workerId: string, recoveries: readonly RecoveryEvent[]): Pick<GanttGroup, 'note'> {
  const lost = recoveries.find(
    ({ from_worker_id: from, reason }) => from === workerId && reason === 'worker_lost',
  );
  if (lost === undefined) return {};
  const at = Date.parse(lost.lost_at);
  return { note: { at, text: `lost ${clock(new Date(at))}`, kind: 'failed' } };
}

const lostStatuses: ReadonlySet<Attempt['status']> = new Set([
  'lost',
  'timed_out',
  'revoked',
  'released',
]);

/** From the checkpoint an attempt went on from, or from the end of what it had to begin anew. */
function arrowsOf(
  { attempts }: AttemptSources,
  groups: readonly GanttGroup[],
  marks: Marks,
): readonly GanttArrow[] {
  const rows = new Set(groups.flatMap((group) => group.rows.map(({ id }) => id)));
  const byId = new Map(attempts.map((attempt) => [idOf(attempt.index, attempt.attempt), attempt]));
  const arrows: GanttArrow[] = [];
  for (const to of attempts) {
    if (to.started_at === null || to.attempt === 1) continue;
    const from = byId.get(idOf(to.index, to.resumed_from_attempt ?? to.attempt - 1)) ?? undefined;
    if (from === undefined || from.ended_at === null) continue;
    const isHollow = to.resumed_from_progress === null;
    if (isHollow && !lostStatuses.has(from.status)) continue;
    const [fromRow, toRow] = [from, to].map((each) => `${each.worker_id} ${each.slot ?? -1}`) as [
      string,
      string,
    ];
    if (!rows.has(fromRow) || !rows.has(toRow)) continue;
    const mark = marks
      .get(idOf(from.index, from.attempt))
      ?.findLast(({ progress }) => progress <= (to.resumed_from_progress ?? 0));
    arrows.push({
      id: idOf(to.index, to.attempt),
      from: { row: fromRow, at: mark?.at ?? Date.parse(from.ended_at) },
      to: { row: toRow, at: Date.parse(to.started_at) },
      label: isHollow ? 'from the start' : `from ${whole(to.resumed_from_progress)}`,
      isHollow,
    });
  }
  return arrows.toSorted((a, b) => b.to.at - a.to.at).slice(0, mostArrows);
}
