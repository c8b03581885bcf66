// Of which jobs rows are asked for, as a condition on rows that bear the key and the owner of their job.

import { adminOwner } from '../../../core/owner.ts';
import type { JobsAsked, PeriodFilter } from '../../reading.ts';
import type { Cell, Value } from '../driver/statement.ts';
import { ownerCell } from './job-table.ts';

interface Condition {
  /** Empty, or begins with `and`. */
  readonly text: string;
  readonly values: readonly Cell[];
}

/** `rows` is a table or an alias, `first` the place of the first value. The admin's are found among all. */
export function ofJobs(rows: string, { jobKey, owner }: JobsAsked, first: number): Condition {
  const values: Cell[] = [];
  const texts: string[] = [];
  const isValue = (column: string, value: Cell) => {
    texts.push(`and ${rows}.${column} = $${first + values.length}`);
    values.push(value);
  };
  if (jobKey !== undefined) isValue('job_key', jobKey);
  if (owner === adminOwner) texts.push(`and ${rows}.owner is null`);
  else if (owner !== undefined) isValue('owner', ownerCell(owner));
  return { text: texts.join(' '), values };
}

interface Newest {
  readonly where: string;
  readonly order: string;
  readonly values: readonly Value[];
}

/**
 * Rows with an id below `before`, newest first. A job or an owner is named in a list and is a part of the order, which
 * only its own index has: ordered by their ids alone, the server may go through the rows of all instead, in the hope
 * to find enough soon.
 */
export function newestOf(
  rows: string,
  before: string,
  { jobKey, owner }: JobsAsked,
  first: number,
): Newest {
  const isBelow = `${rows}.id < ${before}`;
  const order = `${rows}.id desc`;
  if (jobKey !== undefined) {
    const { text, values } = ofJobs(rows, owner === undefined ? {} : { owner }, first + 1);
    return {
      where: `${rows}.job_key = any($${first}::bigint[]) and ${isBelow} ${text}`,
      order: `${rows}.job_key desc, ${order}`,
      values: [[jobKey], ...values],
    };
  }
  if (owner !== undefined && owner !== adminOwner) {
    return {
      where: `${rows}.owner = any($${first}::text[]) and ${isBelow}`,
      order: `${rows}.owner desc, ${order}`,
      values: [[ownerCell(owner)]],
    };
  }
  const isAdmins = owner === undefined ? '' : `and ${rows}.owner is null`;
  return { where: `${isBelow} ${isAdmins}`, order, values: [] };
}

/** What is of a period, where ids rise with the time in a column. */
interface OfPeriod {
  readonly where: string;
  readonly values: readonly Value[];
}

/** The newest row of before the period ends the search: it is looked for from the newest row of all on. */
export function ofPeriod(
  rows: string,
  time: string,
  { since = -Infinity, until = Infinity, ...asked }: PeriodFilter,
): OfPeriod {
  const { text, values } = ofJobs(rows, asked, 3);
  const {
    where,
    order,
    values: others,
  } = newestOf(rows, `${Number.MAX_SAFE_INTEGER}`, asked, 3 + values.length);
  return {
    where: `${rows}.id > coalesce((
        select ${rows}.id from ${rows}
        where $1 > double precision '-Infinity' and ${rows}.${time} < $1 and ${where}
        order by ${order} limit 1), -1)
      and ${rows}.${time} >= $1 and ${rows}.${time} < $2 ${text}`,
    values: [since, until, ...values, ...others],
  };
}
