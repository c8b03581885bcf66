// A preview of the scheduler as text: how the workers would rank, and where the next tasks would go.

import type { SchedulerPreview } from '../../client/index.ts';
import { type Names, type Page, rankingTable, workerName } from './ranking.ts';
import { renderFacts, renderTable } from './table.ts';
import { counted, grouped, percent } from './wording.ts';

/** Rows that are shown; `--json` has more. */
const ROWS_SHOWN = 20;

export function previewText(preview: SchedulerPreview, names: Names, page: Page): string {
  const { selected, effective_weights: weights } = preview;
  const facts = renderFacts([
    ['algorithm', preview.algorithm],
    ['weighting', preview.weighting],
    ['next task', selected === null ? 'to nobody' : `to ${workerName(selected, names)}`],
    ['because', preview.reason],
  ]);
  if (preview.workers.length === 0) return facts;
  const rows = preview.workers.filter((each, at) => at < ROWS_SHOWN || each.selected);
  return [
    facts,
    [rankingTable(rows, weights, names, page), ...moreText(preview, rows.length)].join('\n'),
    ...placementsText(preview, names, page),
  ].join('\n\n');
}

function moreText({ worker_count: count }: SchedulerPreview, shown: number): string[] {
  return count > shown ? [`… and ${counted(count - shown, 'worker')} more`] : [];
}

function placementsText(
  { placements, unplaced = 0 }: SchedulerPreview,
  names: Names,
  { colors }: Page,
): string[] {
  if (placements === undefined) return [];
  const placed = placements.reduce((sum, { tasks }) => sum + tasks, 0);
  const rows = placements.slice(0, ROWS_SHOWN);
  const columns = [
    { title: 'WORKER', cell: (row: (typeof rows)[number]) => workerName(row.worker_id, names) },
    {
      title: 'TASKS',
      align: 'right' as const,
      cell: ({ tasks }: (typeof rows)[number]) => grouped(tasks),
    },
    {
      title: 'SHARE',
      align: 'right' as const,
      cell: ({ tasks }: (typeof rows)[number]) => percent(tasks / placed),
    },
  ];
  const table = rows.length === 0 ? [] : [renderTable(columns, rows, colors.dim)];
  const more =
    placements.length > rows.length
      ? [`… and ${counted(placements.length - rows.length, 'worker')} more`]
      : [];
  const left = unplaced === 0 ? [] : [`${counted(unplaced, 'task')} would find no free slot`];
  return [[...table, ...more, ...left].join('\n')];
}
