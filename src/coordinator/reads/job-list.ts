// Jobs as they are listed: newest first, some at a time, of whom and of which statuses is asked for.

import type { JobSpec } from '../../core/records.ts';
import type { JobRow } from '../../store/rows.ts';
import type { JobListFilter } from '../port/reads.ts';

/** Rows that are read at a time. */
const chunkRows = 250;

export interface JobListSource {
  /** Without its priorities; undefined when it cannot be seen by this owner. */
  head(jobId: string, owner: string | undefined): Promise<JobRow | undefined>;
  listJobs(
    filter: JobListFilter,
    beforeKey: number | null,
    limit: number,
  ): Promise<readonly JobRow[]>;
  /** Lets other work have its turn. */
  next(): Promise<void>;
}

/**
 * In chunks of at most `mostRows`. What is found by a part of a text is in no index: jobs are looked through, and
 * a chunk may be empty, so that the reader has its turn in between as well.
 */
export async function* jobRows(
  source: JobListSource,
  filter: JobListFilter,
  mostRows = chunkRows,
): AsyncGenerator<readonly JobRow[]> {
  let before: number | null = null;
  if (filter.after !== undefined) {
    const last = await source.head(filter.after, filter.owner);
    // The job after which the page begins is gone, or not for who asks.
    if (last === undefined) return;
    before = last.spec.key;
  }
  const isFound = filter.search === undefined ? undefined : hasPart(filter.search);
  let left = filter.limit ?? Infinity;
  while (left > 0) {
    const limit = isFound === undefined ? Math.min(mostRows, left) : mostRows;
    const rows = await source.listJobs(filter, before, limit);
    const found = isFound === undefined ? rows : rows.filter(isFound).slice(0, left);
    if (rows.length > 0) yield found;
    if (rows.length < limit) return;
    before = rows.at(-1)!.spec.key;
    left -= found.length;
    await source.next();
  }
}

/** Whether its name, its id or its client has this text in it, in capitals or not. */
function hasPart(part: string): (row: { readonly spec: JobSpec }) => boolean {
  const wanted = part.toLowerCase();
  return ({ spec: { name, id, clientId } }) =>
    [name ?? '', id, clientId].some((text) => text.toLowerCase().includes(wanted));
}
