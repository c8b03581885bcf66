// The inputs of the tasks of a job that have failed, read back from the coordinator, to be submitted again
// with another program.

import type { JobHead, MusterClient } from '../../client/index.ts';
import { CommandFailure } from '../command-failure.ts';
import { namedText, withJob } from '../handles.ts';
import { tasksOf } from '../task-pages.ts';
import type { JobInputs } from './job-inputs.ts';

/** The ends of ids differ most; as a handle it finds the job. */
const ID_SHOWN = 8;

export interface FailedWork {
  readonly job: JobHead;
  readonly inputs: JobInputs;
}

export async function failedWork(client: MusterClient, handle: string): Promise<FailedWork> {
  const job = await withJob(client, handle, (id) => client.jobHead(id));
  if (job.counts.failed === 0) {
    throw new CommandFailure('refused', `No task of ${namedText(job)} has failed.`, [
      `How it stands:  muster job ${job.id}`,
    ]);
  }
  const indices: number[] = [];
  const placeOf = (number: number) => `The input of task ${indices[number - 1]} of ${job.id}`;
  return { job, inputs: { type: 'list', values: inputsOf(client, job.id, indices), placeOf } };
}

/** The name of a job that does anew what another one failed in. */
export function followUpName(program: string, { id }: JobHead): string {
  return `${program} (failed of ${id.slice(-ID_SHOWN)})`;
}

async function* inputsOf(
  client: MusterClient,
  jobId: string,
  indices: number[],
): AsyncGenerator<unknown, void, void> {
  for await (const task of tasksOf(client, jobId, { status: 'failed', inputs: true })) {
    if (task.input === undefined) {
      const why = task.input_problem ?? 'This coordinator does not tell inputs.';
      throw new CommandFailure('refused', why);
    }
    indices.push(task.index);
    yield task.input;
  }
}
