// The audit log as a table: what was done, and by whom.

import type { AuditEntry } from '../../client/index.ts';
import { type Column, renderTable, roomOf, shortId } from './table.ts';
import type { Terminal } from './terminal.ts';
import { clockFor } from './times.ts';

type Watched = Pick<Terminal, 'isWatched' | 'columns' | 'colors'>;

export function auditTable(entries: readonly AuditEntry[], terminal: Watched): string {
  const clock = clockFor([], Date.now());
  const columns: Column<AuditEntry>[] = [
    {
      title: 'at',
      cell: ({ at }) => clock.short(at),
      givesWay: 6,
      short: ({ at }) => clock.short(at).slice(-8),
    },
    { title: 'action', cell: ({ action }) => action, givesWay: 7, least: 11 },
    { title: 'outcome', cell: outcomeOf, givesWay: 5, least: 7 },
    { title: 'what', cell: whatOf, givesWay: 2 },
    { title: 'who', cell: whoOf, givesWay: 4, least: 8 },
    { title: 'from', cell: ({ address }) => address ?? '', givesWay: 3 },
    {
      title: 'times',
      cell: ({ count }) => (count === 1 ? '' : String(count)),
      align: 'right',
      givesWay: 1,
    },
  ];
  return renderTable(columns, entries, undefined, roomOf(terminal));
}

/** An address of the interface is told as a whole. */
function whatOf({ object }: AuditEntry): string {
  return object === null || object.startsWith('/') ? (object ?? '') : shortId(object);
}

function outcomeOf({ outcome, code }: AuditEntry): string {
  return code === null ? outcome : `${outcome}: ${code}`;
}

/** An owner is whatever it is called; ids are of a form of their own. */
function whoOf({ owner, role, token_id: id }: AuditEntry): string {
  if (id === null) return '–';
  const whose = role === 'worker' || owner === null ? (role ?? '') : owner;
  return `${whose} ${id}`.trim();
}
