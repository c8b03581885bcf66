// Which jobs a person means: by when they were submitted or ended, how, whose they are and their names.

import type { JobStatus, JobSummary, MusterClient } from '../client/index.ts';

export interface EndedJobsFilter {
  /** Ended before then; milliseconds since the epoch. */
  readonly before?: number | undefined;
  readonly status?: JobStatus | undefined;
  readonly client?: string | undefined;
  /** `*` stands for anything, `?` for one character. */
  readonly name?: string | undefined;
}

/** Which jobs a person wants to see. */
export interface JobsWanted {
  readonly status?: JobStatus | undefined;
  readonly client?: string | undefined;
  /** `*` stands for anything, `?` for one character. */
  readonly name?: string | undefined;
  /** Submitted then or later; milliseconds since the epoch. */
  readonly since?: number | undefined;
  readonly limit?: number | undefined;
}

const PAGE = 1_000;

/** Newest first. Only of those that are there at the begin. */
export async function endedJobs(
  client: Pick<MusterClient, 'jobs'>,
  { before = Infinity, ...wanted }: EndedJobsFilter,
): Promise<readonly JobSummary[]> {
  const found: JobSummary[] = [];
  for await (const job of jobsLike(client, wanted)) {
    if (job.completed_at !== null && Date.parse(job.completed_at) < before) found.push(job);
  }
  return found;
}

/** Newest first. Reads no further than it must: the list is in the order of submission. */
export async function* jobsLike(
  client: Pick<MusterClient, 'jobs'>,
  { status, client: clientId, name, since = -Infinity, limit = Infinity }: JobsWanted,
): AsyncGenerator<JobSummary, void, void> {
  const isNamed = name === undefined ? () => true : matcher(name);
  let left = limit;
  for (let after: string | undefined; ; ) {
    // Among all jobs those with the name may be far apart.
    const size = name === undefined ? Math.min(PAGE, left) : PAGE;
    const page = await client.jobs({
      limit: size,
      ...(after === undefined ? {} : { after }),
      ...(status === undefined ? {} : { status }),
      ...(clientId === undefined ? {} : { clientId }),
    });
    for (const job of page) {
      if (Date.parse(job.created_at) < since) return;
      if (!isNamed(job.name ?? '')) continue;
      yield job;
      if (--left === 0) return;
    }
    if (page.length < size) return;
    after = page.at(-1)!.id;
  }
}

/** Whether a whole name is like the pattern. In time that grows with their lengths' product at the worst. */
export function matcher(pattern: string): (name: string) => boolean {
  const wanted = Array.from(pattern);
  return (name) => {
    const given = Array.from(name);
    let at = 0;
    let next = 0;
    // Where the newest `*` stands, and how much of the name it has taken.
    let star = -1;
    let taken = 0;
    while (at < given.length) {
      if (wanted[next] === '*') {
        star = next++;
        taken = at;
      } else if (wanted[next] === '?' || wanted[next] === given[at]) {
        next++;
        at++;
      } else if (star >= 0) {
        next = star + 1;
        at = ++taken;
      } else {
        return false;
      }
    }
    return wanted.slice(next).every((each) => each === '*');
  };
}
