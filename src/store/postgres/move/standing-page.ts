// A page of the tasks that stand in a dispatch, as rows of the table of tasks.

import { type MovedCell, tableNamed } from '../../move/moved-tables.ts';
import type { Page } from '../../move/sides.ts';
import type { Row } from '../driver/statement.ts';
import { fromStanding, standingColumnsOf } from '../tables/dispatch-table.ts';
import { isOfVisible } from '../tables/visible.ts';
import { storedTables } from './stored-tables.ts';

/** With it begins a place among them. */
export const dispatchesName = 'dispatches';

/** Each has a thousand tasks at the most. */
export const dispatchesAtOnce = 16;

/** Behind this key are all. */
export const beforeAllDispatches = [0, 0];

const tasks = tableNamed('tasks');

/** About the bytes of a task without a result. */
const bytesOfRow = 128;

/** A dispatch in which none stands gives one row, without a task. */
export const standingPageText = `select page.job_key, page.task_index, found.*
  from (
    select * from dispatches where (job_key, task_index) > ($1, $2)
      and ${isOfVisible('dispatches')} order by job_key, task_index limit $3
  ) as page left join lateral (
    select ${standingColumnsOf(tasks.columns)}
    ${fromStanding('true', 'true', '(select page.*) as dispatches')}
  ) as found on true
  order by page.job_key, page.task_index`;

/** Cells before those of a task. */
const KEY = 2;

export function toStandingPage(rows: readonly Row[]): Page {
  const { reads } = storedTables.get(tasks.name)!;
  const moved = rows
    .filter((row) => row[KEY] !== null)
    .map((row) => reads.map((read, i): MovedCell => read(row[KEY + i]!)));
  const last = rows.at(-1);
  const keys = new Set(rows.map(([jobKey, index]) => `${jobKey} ${index}`));
  const hasMore = last !== undefined && keys.size === dispatchesAtOnce;
  return {
    rows: moved,
    bytes: moved.length * bytesOfRow,
    next: hasMore ? [dispatchesName, last[0] as number, last[1] as number] : null,
  };
}
