// The column that names a task by its index, and leads to its page.

import type { Column } from '../../parts/table.tsx';
import { grouped } from '../../text/numbers.ts';
import { pathOfTask } from './hold-ups.ts';

export function indexColumn(jobId: string): Column<{ readonly index: number }> {
  return {
    id: 'index',
    head: 'Task',
    isNumber: true,
    width: '90px',
    card: 'lead',
    cell: ({ index }) => (
      <a class="link" href={pathOfTask(jobId, index)}>
        {grouped(index)}
      </a>
    ),
  };
}
