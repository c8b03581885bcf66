// A colour for each job. The first that were submitted have one of their own; a job keeps its colour.

import type { AttemptOfHistory } from '../../../../protocol/evaluation.ts';

export interface JobInView {
  readonly id: string;
  readonly attempts: number;
}

/** Jobs of these attempts in order of submission. */
export function jobsInView(
  attempts: readonly Pick<AttemptOfHistory, 'job_id'>[],
  jobs: readonly { readonly id: string; readonly created_at: string }[],
): readonly JobInView[] {
  const counts = new Map<string, number>();
  for (const { job_id: id } of attempts) counts.set(id, (counts.get(id) ?? 0) + 1);
  const submitted = new Map(jobs.map((head) => [head.id, head.created_at]));
  // Ids grow with time: they stand in until the list of jobs is here.
  const placeOf = (id: string): string => `${submitted.get(id) ?? ''} ${id}`;
  return [...counts]
    .map(([id, count]) => ({ id, attempts: count }))
    .toSorted((a, b) => (placeOf(a.id) < placeOf(b.id) ? -1 : 1));
}

/** Names of tokens. */
const palette = ['c1', 'c2', 'c3', 'c4', 'c5', 'c6', 'c7', 'c8'];
export const restColour = 'c9';

/** `jobs`: those in view, in order of submission. Whoever came into view earlier has its colour in `kept`. */
export function colourJobs(
  kept: ReadonlyMap<string, string>,
  jobs: readonly string[],
): ReadonlyMap<string, string> {
  const colours = new Map(kept);
  const used = new Set(kept.values());
  const free = palette.filter((colour) => !used.has(colour));
  for (const job of jobs) {
    if (!colours.has(job)) {
      const colour = free.shift();
      if (colour !== undefined) colours.set(job, colour);
    }
  }
  return colours;
}
