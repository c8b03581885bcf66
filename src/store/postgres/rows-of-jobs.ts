// The rows that jobs have in all tables but their own, as sweeping deletes them: some of each table in one statement.

import type { Query } from './driver/statement.ts';

/** Rows of a statement in tables whose rows may be large. */
const largeRowsAtOnce = 32;

interface Place {
  readonly table: string;
  readonly isLarge?: boolean;
  /** A row may go over to another job meanwhile: then it is left, and whoever writes it is not waited for. */
  readonly isShared?: boolean;
}

const ofStaged: readonly Place[] = [{ table: 'inputs' }, { table: 'blob_references' }];
const ofJob: readonly Place[] = [
  { table: 'tasks' },
  { table: 'dispatches', isLarge: true },
  { table: 'attempts' },
  { table: 'checkpoint_states', isLarge: true },
  { table: 'traces', isLarge: true },
  ...ofStaged,
  { table: 'checkpoints' },
  { table: 'recoveries' },
  { table: 'notifications' },
  { table: 'idempotency_keys', isShared: true },
  { table: 'work' },
  { table: 'work_seconds' },
];

/** In the order of an index that begins with the job. */
const deletion = ({ table, isLarge = false, isShared = false }: Place) =>
  `delete from ${table} where ctid = any(array(select ctid from ${table}
    where job_key = any($1::bigint[]) order by job_key limit $${isLarge ? 3 : 2}
    ${isShared ? 'for update skip locked' : ''}))`;

function deletionText(places: readonly Place[]): string {
  const parts = places.map((place) => `${place.table}_gone as (${deletion(place)} returning 1)`);
  const counts = places.map(({ table }) => `(select count(*) from ${table}_gone)`);
  // Of a statement without large tables the third value must be named too.
  return `with ${parts.join(', ')} select ${counts.join(', ')}, $3::bigint`;
}

const stagedText = deletionText(ofStaged);
const jobText = deletionText(ofJob);

interface Deleted {
  readonly rows: number;
  readonly hasMore: boolean;
}

/** Deletes what was staged for a job, at most `limit` rows of a table. */
export function deleteStagedRows(query: Query, jobKey: number, limit: number): Promise<Deleted> {
  return deleteRows(query, stagedText, ofStaged, [jobKey], limit);
}

/** Deletes what belongs to jobs, at most `limit` rows of a table. */
export function deleteJobRows(
  query: Query,
  jobKeys: readonly number[],
  limit: number,
): Promise<Deleted> {
  return deleteRows(query, jobText, ofJob, jobKeys, limit);
}

async function deleteRows(
  query: Query,
  text: string,
  places: readonly Place[],
  jobKeys: readonly number[],
  limit: number,
): Promise<Deleted> {
  const large = Math.min(limit, largeRowsAtOnce);
  const [row] = await query(text, [jobKeys, limit, large]);
  const counts = places.map((_, place) => row![place] as number);
  const isFull = (count: number, place: number) =>
    count >= (places[place]!.isLarge ? large : limit);
  return { rows: counts.reduce((sum, count) => sum + count, 0), hasMore: counts.some(isFull) };
}
