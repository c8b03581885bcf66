// Which jobs that have ended a person means: by when they ended, how, whose they are and their names.

import type { JobStatus, JobSummary, MusterClient } from '../client/index.ts';

export interface EndedJobsFilter {
  /** Ended before then; milliseconds since the epoch. */
  readonly before?: number | undefined;
  readonly status?: JobStatus | undefined;
  readonly client?: string | undefined;
  /** `*` stands for anything, `?` for one character. */
  readonly name?: string | undefined;
}

const PAGE = 1_000;

/** Newest first. Only of those that are there at the begin. */
export async function endedJobs(
  client: Pick<MusterClient, 'jobs'>,
  { before = Infinity, status, client: clientId, name }: EndedJobsFilter,
): Promise<readonly JobSummary[]> {
  const isNamed = name === undefined ? () => true : matcher(name);
  const found: JobSummary[] = [];
  for (let after: string | undefined; ; ) {
    const page = await client.jobs({
      limit: PAGE,
      ...(after === undefined ? {} : { after }),
      ...(status === undefined ? {} : { status }),
      ...(clientId === undefined ? {} : { clientId }),
    });
    for (const job of page) {
      if (job.completed_at === null || Date.parse(job.completed_at) >= before) continue;
      if (isNamed(job.name ?? '')) found.push(job);
    }
    if (page.length < PAGE) return found;
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
