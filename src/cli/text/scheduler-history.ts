// What was in force from when on, as a table: of the weights those that differ from what was in force before.

import type { SchedulerHistoryEntry } from '../../client/index.ts';
import { criterionIds } from '../../protocol/criteria.ts';
import { type Column, renderTable, roomOf } from './table.ts';
import type { Terminal } from './terminal.ts';
import { clockFor } from './times.ts';

type Watched = Pick<Terminal, 'isWatched' | 'columns' | 'colors'>;

interface Row {
  readonly entry: SchedulerHistoryEntry;
  readonly before: SchedulerHistoryEntry | undefined;
}

/** `entries`: newest first, of which `count` are told. The oldest of all has all of its weights. */
export function schedulerHistoryText(
  entries: readonly SchedulerHistoryEntry[],
  count: number,
  terminal: Watched,
): string {
  const clock = clockFor([], Date.now());
  const columns: Column<Row>[] = [
    { title: 'since', cell: ({ entry }) => clock.short(entry.at) },
    { title: 'algorithm', cell: ({ entry }) => entry.algorithm },
    { title: 'weighting', cell: ({ entry }) => entry.weighting, givesWay: 2 },
    { title: 'by', cell: ({ entry }) => entry.by ?? '\u2013', givesWay: 3, least: 6 },
    { title: 'weights', cell: weightsOf, givesWay: 1 },
  ];
  const rows = entries.map((entry, place) => ({ entry, before: entries[place + 1] }));
  return renderTable(columns, rows.slice(0, count), undefined, roomOf(terminal));
}

function weightsOf({ entry: { weights }, before }: Row): string {
  const changed = criterionIds.filter((id) => weights[id] !== before?.weights[id]);
  if (changed.length === 0) return 'as before';
  return changed.map((id) => `${id}=${Number((weights[id] ?? 0).toFixed(4))}`).join(' ');
}
