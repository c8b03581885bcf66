// The tasks of a job, page by page, as many as are wanted.

import type { MusterClient, ResultLine, TaskListing, TaskStatus } from '../client/index.ts';

const PAGE = 1_000;

export async function* tasksOf(
  client: Pick<MusterClient, 'tasks'>,
  jobId: string,
  { status, after, limit = Infinity }: TasksWanted,
): AsyncGenerator<TaskListing, void, void> {
  let left = limit;
  let last = after;
  while (left > 0) {
    const most = Math.min(PAGE, left);
    const page = await client.tasks(jobId, {
      limit: most,
      ...(status === undefined ? {} : { status }),
      ...(last === undefined ? {} : { after: last }),
    });
    yield* page;
    if (page.length < most) return;
    last = page.at(-1)!.index;
    left -= page.length;
  }
}

export interface TasksWanted {
  readonly status?: TaskStatus | undefined;
  /** Index of the task before the first one. */
  readonly after?: number | undefined;
  readonly limit?: number;
}

/** The failed tasks of a job as lines of results. */
export async function* failedResults(
  client: Pick<MusterClient, 'tasks'>,
  jobId: string,
): AsyncGenerator<ResultLine, void, void> {
  for await (const { index, id, error } of tasksOf(client, jobId, { status: 'failed' })) {
    if (error === undefined || error === null) continue; // Tried again meanwhile.
    const result = { index, task_id: id, status: 'failed' as const, error };
    yield { text: JSON.stringify(result), result, replaces: false };
  }
}
