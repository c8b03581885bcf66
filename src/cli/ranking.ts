// The scheduler's view of the workers as text: what waits, the last decision, the ranking behind it.

import type { RankedWorkerResource, SchedulingInfo } from '../client/index.ts';
import { type Column, renderFacts, renderTable } from './table.ts';
import type { Colors } from './terminal.ts';
import { ago, counted } from './wording.ts';

type Names = ReadonlyMap<string, string | null>;

export function rankingText(
  info: SchedulingInfo,
  names: Names,
  nowMs: number,
  colors: Colors,
): string {
  const facts = renderFacts([
    ['algorithm', info.algorithm],
    ['weighting', info.weighting],
    ['tasks', `${counted(info.pending_tasks, 'task')} waiting, ${info.active_tasks} with workers`],
    ['decisions', String(info.decisions_total)],
    ...decisionFacts(info, names, nowMs),
  ]);
  if (info.workers.length === 0) return facts;
  const table = renderTable(columnsOf(info, names, colors), info.workers, colors.dim);
  return `${facts}\n\n${table}`;
}

function decisionFacts(
  { last_decision: last }: SchedulingInfo,
  names: Names,
  nowMs: number,
): readonly (readonly [string, string])[] {
  if (last === null) return [['last decision', 'none yet']];
  const worker = names.get(last.worker_id) ?? last.worker_id;
  return [
    ['last decision', `${last.task_id} → ${worker}, ${ago(last.at, nowMs)}`],
    ['because', last.reason],
    ['it took', `${Math.round(last.duration_microseconds)} µs`],
  ];
}

/** A column for every criterion that weighs something, with what each worker brings to it. */
function columnsOf(
  info: SchedulingInfo,
  names: Names,
  { dim, green }: Colors,
): readonly Column<RankedWorkerResource>[] {
  const weighing = Object.entries(info.effective_weights)
    .filter(([, weight]) => weight > 0)
    .map(([id]) => id)
    .filter((id) => info.workers.some(({ criteria }) => criteria[id] !== undefined));
  return [
    { title: 'RANK', align: 'right', cell: ({ rank }) => String(rank) },
    { title: 'WORKER', cell: ({ worker_id: id }) => names.get(id) ?? id },
    { title: 'SCORE', align: 'right', cell: ({ score }) => score?.toFixed(3) ?? '-' },
    ...weighing.map(
      (id): Column<RankedWorkerResource> => ({
        title: id.toUpperCase(),
        align: 'right',
        cell: ({ criteria }) => valueText(criteria[id]),
      }),
    ),
    {
      title: '',
      cell: ({ selected, eligible }) =>
        selected ? green('selected') : eligible ? '' : dim('could not take it'),
    },
  ];
}

/** `~`: imputed, the worker does not say. */
function valueText(criterion: RankedWorkerResource['criteria'][string] | undefined): string {
  if (criterion === undefined || criterion.value === null) return '-';
  const { value, imputed } = criterion;
  const text = Math.abs(value) >= 100 ? value.toFixed(0) : String(Number(value.toPrecision(3)));
  return `${imputed ? '~' : ''}${text}`;
}
