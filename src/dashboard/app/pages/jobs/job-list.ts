// The list of jobs: which of them are shown, and in which order they stay.

import type { JobHead } from '../../store/cluster.ts';
import type { Counters } from '../../store/counters.ts';
import { isOpen } from '../../store/job-share.ts';
import { grouped } from '../../text/numbers.ts';
import { capitalized, counted, inWords } from '../../text/words.ts';

export type JobFilter = 'all' | 'open' | 'held' | 'completed' | 'failed' | 'cancelled';

export const jobFilters: readonly JobFilter[] = [
  'all',
  'open',
  'held',
  'completed',
  'failed',
  'cancelled',
];

export function filterOf(text: string | null): JobFilter {
  return jobFilters.find((each) => each === text) ?? 'all';
}

/** What the interface calls them: by commas; null where it has no word. */
export function statusesOf(filter: JobFilter): string | undefined {
  if (filter === 'all') return undefined;
  return filter === 'open' || filter === 'held' ? 'pending,running' : filter;
}

/** By state, and by part of its name, its id or its client. */
export function matches(job: JobHead, filter: JobFilter, search: string): boolean {
  const wanted = search.trim().toLowerCase();
  const fits =
    filter === 'all' ||
    (filter === 'open' && isOpen(job)) ||
    (filter === 'held' && job.held_since !== null) ||
    filter === job.status;
  return (
    fits &&
    (wanted === '' ||
      [job.name ?? '', job.id, job.client_id].some((text) => text.toLowerCase().includes(wanted)))
  );
}

/** How many there are of each, as far as it is told. */
export function countOf(filter: JobFilter, told: Counters | null): number | null {
  if (told === null || filter === 'held') return null;
  const { jobs } = told;
  if (filter === 'open') return jobs.open;
  if (filter === 'all') {
    return jobs.pending + jobs.running + jobs.completed + jobs.failed + jobs.cancelled;
  }
  return jobs[filter];
}

/** Open ones first, each newest first. */
export function ordered(jobs: readonly JobHead[]): readonly JobHead[] {
  const newestFirst = jobs.toSorted((a, b) => (a.created_at < b.created_at ? 1 : -1));
  return [...newestFirst.filter(isOpen), ...newestFirst.filter((job) => !isOpen(job))];
}

export interface HeldList {
  readonly rows: readonly JobHead[];
  /** Submitted since: they do not push those that are there. */
  readonly fresh: number;
}

/**
 * `held`: ids in the order in which they are shown, null at first. Jobs that are gone leave, older ones follow, newer
 * ones wait to be asked for; a job that ends stays where it is.
 */
export function holdList(held: readonly string[] | null, jobs: readonly JobHead[]): HeldList {
  if (held === null || held.length === 0) return { rows: ordered(jobs), fresh: 0 };
  const byId = new Map(jobs.map((job) => [job.id, job]));
  const rows = held.flatMap((id) => byId.get(id) ?? []);
  const known = new Set(held);
  const newest = rows.reduce((latest, { created_at: at }) => (at > latest ? at : latest), '');
  const others = jobs.filter(({ id }) => !known.has(id));
  const older = others.filter(({ created_at: at }) => at <= newest);
  return { rows: [...rows, ...ordered(older)], fresh: others.length - older.length };
}

/** What is told first: strong, and the rest. */
export function headingOf(
  jobs: readonly JobHead[],
  told: Counters | null,
): { readonly strong: string; readonly rest: string } {
  const open = told?.jobs.open ?? jobs.filter(isOpen).length;
  const waits =
    told?.tasks.pending ?? jobs.filter(isOpen).reduce((sum, { counts }) => sum + counts.pending, 0);
  const failed = told?.jobs.failed ?? jobs.filter(({ status }) => status === 'failed').length;
  const bad = failed === 0 ? '' : ` ${counted(failed, 'job')} ended failed.`;
  if (open === 0) {
    const all = countOf('all', told) ?? jobs.length;
    return { strong: 'No job is open', rest: `: ${grouped(all)} ended.${bad}` };
  }
  const verb = open === 1 ? 'is' : 'are';
  const pending =
    waits === 0 ? 'no task waits' : `${counted(waits, 'task')} ${waits === 1 ? 'waits' : 'wait'}`;
  return {
    strong: `${capitalized(inWords(open, 'job'))} ${verb} open`,
    rest: `, ${pending}.${bad}`,
  };
}
