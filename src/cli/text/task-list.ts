// A list of tasks as a table. The error of a task gets what room there is.

import type { TaskListing } from '../../client/index.ts';
import { widthOf, cutToWidth } from './text-width.ts';
import { plainText } from './foreign-text.ts';
import { paintStatus } from './paint-status.ts';
import { type Names, workerName } from './ranking.ts';
import { type Column, renderTable } from './table.ts';
import type { Terminal } from './terminal.ts';
import { duration } from './wording.ts';

const LEAST_CELLS = 24;

export function taskListText(
  tasks: readonly TaskListing[],
  names: Names,
  { colors, columns: width, isWatched }: Pick<Terminal, 'colors' | 'columns' | 'isWatched'>,
): string {
  const columns: Column<TaskListing>[] = [
    { title: 'INDEX', align: 'right', cell: ({ index }) => String(index) },
    { title: 'STATUS', cell: ({ status }) => paintStatus(status, colors) },
    { title: 'ATTEMPT', align: 'right', cell: ({ attempt }) => String(attempt) },
    {
      title: 'WORKER',
      cell: ({ worker_id: id }) => (id === null ? '-' : workerName(id, names)),
    },
    { title: 'TOOK', align: 'right', cell: tookText },
  ];
  if (tasks.some(({ error }) => error !== null)) {
    const taken = Math.max(...renderTable(columns, tasks).split('\n').map(widthOf));
    const room = isWatched ? Math.max(LEAST_CELLS, width - taken - 2) : Infinity;
    columns.push({ title: 'ERROR', cell: (task) => cutToWidth(errorText(task), room) });
  }
  return renderTable(columns, tasks, colors.dim);
}

function tookText({ run_seconds: ran, started_at: from, completed_at: to }: TaskListing): string {
  const ms = ran === null ? Date.parse(to ?? '') - Date.parse(from ?? '') : ran * 1_000;
  return Number.isNaN(ms) ? '-' : duration(ms);
}

function errorText({ error }: TaskListing): string {
  return error === null ? '' : plainText(`${error.type}: ${error.message}`);
}
