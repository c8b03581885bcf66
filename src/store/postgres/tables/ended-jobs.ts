// Jobs that have ended, by their end.

import { adminOwner } from '../../../core/owner.ts';
import type { EndedJob } from '../../rows.ts';
import type { Query } from '../driver/statement.ts';
import { jobStatuses } from '../../enumerations.ts';
import { ownerCell } from './job-table.ts';
import { integer, oneOf, real, small } from './kinds.ts';
import { RowShape } from './row-shape.ts';
import { isVisible } from './visible.ts';

/** A place in the list. */
export type EndedPlace = Pick<EndedJob, 'completedAt' | 'key'>;

const shape = new RowShape<EndedJob>({
  key: integer,
  status: oneOf(jobStatuses),
  createdAt: real,
  completedAt: real,
  taskCount: small,
  completed: small,
  failed: small,
});

/** Nothing of a generation that is over. An owner is named in a list, so that the server takes the index of owners. */
const listText = (isOwn: string, first = '') => `select ${shape.columns()} from jobs
  where ${isVisible('jobs')} and generation = $1 and ${isOwn} and completed_at >= $2
    and (completed_at, key) < ($3, $4)
  order by ${first} completed_at desc, key desc limit $5`;
const allText = listText('true');
const adminsText = listText('owner is null');
const ownText = listText('owner = any($6::text[])', 'owner desc,');

/** Of a generation, those that ended at `since` or later and before a place, in the reverse order of their ends. */
export async function listEnded(
  query: Query,
  of: number,
  { since, owner }: { readonly since: number; readonly owner?: string | undefined },
  before: EndedPlace,
  limit: number,
): Promise<readonly EndedJob[]> {
  const asked = [of, since, before.completedAt, before.key, limit];
  const rows = await (owner === undefined
    ? query(allText, asked)
    : owner === adminOwner
      ? query(adminsText, asked)
      : query(ownText, [...asked, [ownerCell(owner)]]));
  return rows.map((row) => shape.decode(row));
}
