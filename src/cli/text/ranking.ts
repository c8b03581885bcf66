// The ranking of workers as text: counts of tasks, the last decision, and the table of a decision.

import type { RankedWorkerResource, SchedulingInfo, WorkerResource } from '../../client/index.ts';
import { plainText } from './foreign-text.ts';
import { type Column, renderFacts, renderTable, shortId } from './table.ts';
import type { Terminal } from './terminal.ts';
import { widthOf } from './text-width.ts';
import { ago, counted } from './wording.ts';

export type Names = ReadonlyMap<string, string | null>;

/** The part of a terminal that a table depends on. */
export type Page = Pick<Terminal, 'columns' | 'colors' | 'isWatched'>;

export function namesOf(workers: readonly WorkerResource[]): Names {
  return new Map(workers.map(({ id, name }) => [id, name]));
}

/** The name of a worker; without one, the end of its id, because the beginning of ids is a time. */
export function workerName(id: string, names: Names): string {
  return names.get(id) ?? shortId(id);
}

export function rankingText(info: SchedulingInfo, names: Names, nowMs: number, page: Page): string {
  const facts = renderFacts([
    ['algorithm', info.algorithm],
    ['weighting', info.weighting],
    ['tasks', `${counted(info.pending_tasks, 'task')} waiting, ${info.active_tasks} with workers`],
    ['decisions', decisionsText(info)],
    ...decisionFacts(info, names, nowMs),
  ]);
  if (info.workers.length === 0) return facts;
  const weights = info.last_decision?.effective_weights ?? info.effective_weights;
  const parts = [facts, rankingTable(info.workers, weights, names, page)];
  return [...parts, ...unfitLines(info.workers, names, page)].join('\n\n');
}

/** `23`, or `40: 23 by fifo, 17 by edas` when it was not always the same algorithm. */
function decisionsText(info: SchedulingInfo): string {
  const { decisions_total: total, decisions_by_algorithm: counts, algorithm } = info;
  const by = Object.entries(counts);
  if (by.every(([id]) => id === algorithm)) return String(total);
  return `${total}: ${by.map(([id, count]) => `${count} by ${id}`).join(', ')}`;
}

/** What the workers of the table lack, in full; `busy` says all there is to say. */
function unfitLines(
  workers: readonly RankedWorkerResource[],
  names: Names,
  { colors }: Page,
): string[] {
  const lines = workers
    .filter(({ selected }) => !selected)
    .flatMap(({ worker_id: id, reasons }) =>
      reasons
        .filter(({ code }) => code !== 'no_free_slot')
        .map(({ text }) => `${workerName(id, names)}: ${text}`),
    )
    .slice(0, REASONS_SHOWN);
  return lines.length === 0 ? [] : [lines.map((line) => colors.dim(plainText(line))).join('\n')];
}

const REASONS_SHOWN = 20;

function decisionFacts(
  { last_decision: last }: SchedulingInfo,
  names: Names,
  nowMs: number,
): readonly (readonly [string, string])[] {
  if (last === null) return [['last decision', 'none yet']];
  return [
    ['last decision', `${last.task_id} → ${workerName(last.worker_id, names)}`],
    ['made', `${ago(last.at, nowMs)} by ${last.algorithm}`],
    ['because', last.reason],
    ['it took', microseconds(last.duration_microseconds)],
  ];
}

export function microseconds(value: number): string {
  return value < 10 ? `${Number(value.toFixed(1))} µs` : `${Math.round(value)} µs`;
}

/**
 * The best worker first, with a column for every criterion that has a weight, the heaviest first.
 * Criteria whose columns do not fit are named below the table.
 */
export function rankingTable(
  workers: readonly RankedWorkerResource[],
  weights: Readonly<Record<string, number>>,
  names: Names,
  page: Page,
): string {
  const weighing = Object.entries(weights)
    .filter(([, weight]) => weight > 0)
    .toSorted(([, a], [, b]) => b - a)
    .map(([id]) => id)
    .filter((id) => workers.some(({ criteria }) => criteria[id] !== undefined));
  for (let shown = weighing.length; ; shown--) {
    const columns = columnsOf(weighing.slice(0, shown), workers, names, page);
    // The width is measured without colours.
    const table = renderTable(columns, workers, page.colors.dim);
    const width = Math.max(...renderTable(columns, workers).split('\n').map(widthOf));
    if (shown > 0 && width > page.columns) continue;
    return [table, ...legend(workers, weighing.slice(0, shown), weighing.slice(shown), page)].join(
      '\n',
    );
  }
}

/** The first of the reasons in so few words that the table keeps its columns. */
function shortReason([first]: RankedWorkerResource['reasons']): string {
  return first === undefined ? 'not eligible' : shortReasons[first.code];
}

const shortReasons: Readonly<Record<RankedWorkerResource['reasons'][number]['code'], string>> = {
  offline: 'offline',
  quarantined: 'quarantined',
  waiting: 'not let in',
  draining: 'draining',
  connection_closed: 'offline',
  leaving: 'leaving',
  resting: 'resting',
  asleep: 'asleep',
  kind: 'not fit',
  requirement: 'not fit',
  failed_here: 'failed here',
  refused_here: 'refused',
  no_free_slot: 'busy',
};

function columnsOf(
  criteria: readonly string[],
  workers: readonly RankedWorkerResource[],
  names: Names,
  { colors: { dim, green } }: Page,
): readonly Column<RankedWorkerResource>[] {
  const digits = workers.every(({ score }) => Number.isInteger(score ?? 0)) ? 0 : SCORE_DIGITS;
  return [
    { title: 'RANK', align: 'right', cell: ({ rank }) => String(rank) },
    { title: 'WORKER', cell: ({ worker_id: id }) => workerName(id, names) },
    { title: 'SCORE', align: 'right', cell: ({ score }) => scoreText(score, digits) },
    ...criteria.map(
      (id): Column<RankedWorkerResource> => ({
        title: titles[id] ?? id.toUpperCase(),
        align: 'right',
        cell: (worker) => valueText(worker.criteria[id]),
      }),
    ),
    {
      title: '',
      cell: ({ selected, eligible, reasons }) => {
        if (selected) return green('selected');
        return eligible ? '' : dim(shortReason(reasons));
      },
    },
  ];
}

/** Short titles, so that the five criteria with a default weight fit into 80 columns. */
const titles: Readonly<Record<string, string>> = {
  failure_rate: 'FAILING',
  throughput: 'TASKS/S',
};

/** A score that is a count of tasks gets no decimals. */
export function scoreText(score: number | null, digits?: number): string {
  if (score === null) return '-';
  return score.toFixed(digits ?? (Number.isInteger(score) ? 0 : SCORE_DIGITS));
}

const SCORE_DIGITS = 4;

/** `~`: imputed, because the worker does not report it. `+`: raised by tasks it was given since. */
function valueText(criterion: RankedWorkerResource['criteria'][string] | undefined): string {
  if (criterion === undefined || criterion.value === null) return '-';
  const { value, imputed, projected } = criterion;
  const text = Math.abs(value) >= 100 ? value.toFixed(0) : String(Number(value.toPrecision(3)));
  return `${imputed ? '~' : ''}${projected ? '+' : ''}${text}`;
}

function legend(
  workers: readonly RankedWorkerResource[],
  shown: readonly string[],
  hidden: readonly string[],
  { colors: { dim } }: Page,
): string[] {
  const cells = workers.flatMap(({ criteria }) => shown.map((id) => criteria[id]));
  const notes = [
    ...(cells.some((cell) => cell?.value === null) ? ['- reported by nobody'] : []),
    ...(cells.some((cell) => cell?.imputed && cell.value !== null)
      ? ['~ not reported: the mean of the others']
      : []),
    ...(cells.some((cell) => cell?.projected)
      ? ['+ with the tasks given since its heartbeat']
      : []),
    ...(hidden.length > 0 ? [`not shown here: ${hidden.join(', ')}`] : []),
  ];
  return notes.map((note) => dim(plainText(note)));
}
