// What can be seen: a job of the present generation, and what belongs to one.

/** The present generation, within a statement. */
export const generation = '(select generation from meta)';

/** Whether the job of a table or an alias can be seen. */
export function isVisible(jobs: string): string {
  return `${jobs}.generation = ${generation}`;
}

/** Joins the job that a row names, if it can be seen. */
export function joinVisible(rows: string): string {
  return `join jobs on jobs.key = ${rows}.job_key and ${isVisible('jobs')}`;
}

/** Whether the job that a row names can be seen: for a few rows, each of which looks it up by its key. */
export function isOfVisible(rows: string): string {
  return `(select jobs.generation from jobs where jobs.key = ${rows}.job_key) = ${generation}`;
}
