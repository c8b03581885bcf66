// The column that names a worker, and leads to its page.

import type { BehindColumn } from '../../parts/table-behind.tsx';

export function workerColumn<Row>(
  idOf: (row: Row) => string,
  nameOf: (id: string) => string,
): BehindColumn<Row> {
  return {
    id: 'worker',
    head: 'Worker',
    cell: (row) => <a href={`/workers/${encodeURIComponent(idOf(row))}`}>{nameOf(idOf(row))}</a>,
    sortBy: (row) => nameOf(idOf(row)),
    card: 'lead',
  };
}
