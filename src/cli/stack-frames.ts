// The frames of a task's error, with places in the person's own files where the program of the job carries a
// source map.

import type { MusterClient, TaskDetail } from '../client/index.ts';
import { programMap } from '../client/program-map.ts';

/** None when there is no stack. */
export async function framesOf(
  client: Pick<MusterClient, 'program'>,
  { job_id: jobId, error }: Pick<TaskDetail, 'job_id' | 'error'>,
): Promise<readonly string[]> {
  const stack = error?.stack;
  if (stack === undefined) return [];
  // Without the program, the places in it are better than nothing.
  const program = await client.program(jobId).catch(() => '');
  return programMap(program).mapped(stack).split('\n');
}

/**
 * Where in the person's own files a task threw: its first frame that is not in a package. Undefined when that
 * is not known, or the coordinator does not tell it: whoever asks has the error itself already.
 */
export async function placeOfError(
  client: Pick<MusterClient, 'program' | 'task'>,
  jobId: string,
  index: number,
): Promise<string | undefined> {
  const frames = await client
    .task(jobId, index)
    .then((task) => framesOf(client, task))
    .catch((): readonly string[] => []);
  // What stands behind it belongs to its causes.
  const first = frames.findIndex((frame) => !frame.startsWith('at '));
  const own = first < 0 ? frames : frames.slice(0, first);
  return own.find((frame) => !frame.includes('node_modules')) ?? own[0];
}
