// The tasks of a job, page by page, as many as are wanted. Inputs are `RawJson`, as they were submitted.

import type {
  MusterClient,
  ResultLine,
  TaskInput,
  TaskListing,
  TasksFilter,
  TaskStatus,
} from '../client/index.ts';
import { payloadText } from '../protocol/codec.ts';
import { exactTasks } from './exact-inputs.ts';

type Tasks = Pick<MusterClient, 'tasks' | 'exactTasks'>;

const PAGE = 1_000;

export async function* tasksOf(
  client: Tasks,
  jobId: string,
  { status, after, limit = Infinity, inputs = false }: TasksWanted,
): AsyncGenerator<TaskListing, void, void> {
  let left = limit;
  let last = after;
  while (left > 0) {
    const most = Math.min(PAGE, left);
    const filter: TasksFilter = {
      limit: most,
      ...(status === undefined ? {} : { status }),
      ...(last === undefined ? {} : { after: last }),
    };
    const page = inputs
      ? exactTasks(await client.exactTasks(jobId, { ...filter, inputs }))
      : await client.tasks(jobId, filter);
    yield* page;
    // Where inputs are large a page is short, and says nothing of the next one.
    if (page.length < (inputs ? 1 : most)) return;
    last = page.at(-1)!.index;
    left -= page.length;
  }
}

export interface TasksWanted {
  readonly status?: TaskStatus | undefined;
  /** Index of the task before the first one. */
  readonly after?: number | undefined;
  readonly limit?: number;
  /** With the input of each. */
  readonly inputs?: boolean;
}

/** The failed tasks of a job as lines of results, with their inputs. */
export async function* failedResults(
  client: Tasks,
  jobId: string,
): AsyncGenerator<ResultLine, void, void> {
  for await (const task of tasksOf(client, jobId, { status: 'failed', inputs: true })) {
    const { index, id, error } = task;
    if (error === undefined || error === null) continue; // Tried again meanwhile.
    const result = { index, task_id: id, status: 'failed' as const, error };
    yield withInput({ text: JSON.stringify(result), result, replaces: false }, task);
  }
}

/** Results in index order; to those of failed tasks their inputs are added. */
export async function* withFailedInputs(
  client: Tasks,
  jobId: string,
  lines: AsyncIterable<ResultLine>,
): AsyncGenerator<ResultLine, void, void> {
  let failed: AsyncIterator<TaskListing, void> | undefined;
  let task: TaskListing | undefined;
  for await (const line of lines) {
    const { index, status } = line.result;
    if (status === 'failed') {
      const after = index === 0 ? undefined : index - 1;
      failed ??= tasksOf(client, jobId, { status, after, inputs: true });
      while (task === undefined || task.index < index) {
        const { value } = await failed.next();
        if (value === undefined) break;
        task = value;
      }
    }
    yield task?.index === index && status === 'failed' ? withInput(line, task) : line;
  }
}

/** It stands in the text alone: the result has no room for what JavaScript cannot hold. */
function withInput(line: ResultLine, task: TaskListing): ResultLine {
  const member = inputMember(task);
  return member === '' ? line : { ...line, text: `${line.text.slice(0, -1)},${member}}` };
}

function inputMember({ input, input_problem: problem }: TaskInput): string {
  if (input !== undefined) return `"input":${payloadText(input)}`;
  return problem === undefined ? '' : `"input_problem":${JSON.stringify(problem)}`;
}
