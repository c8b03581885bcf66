// The inputs of the tasks of a job that have failed, and if wanted of those that were cancelled, read back from
// the coordinator, to be submitted again with another program.

import type { JobHead, MusterClient, TaskStatus } from '../../client/index.ts';
import { CommandFailure } from '../command-failure.ts';
import { namedText, withJob } from '../handles.ts';
import { tasksOf } from '../task-pages.ts';
import { grouped } from '../text/wording.ts';
import type { JobInputs } from './job-inputs.ts';

/** The ends of ids differ most; as a handle it finds the job. */
const ID_SHOWN = 8;

export interface FailedWork {
  readonly job: JobHead;
  readonly inputs: JobInputs;
  readonly areCancelledIn: boolean;
}

export async function failedWork(
  client: MusterClient,
  handle: string,
  areCancelledIn: boolean,
): Promise<FailedWork> {
  const job = await withJob(client, handle, (id) => client.jobHead(id));
  const { failed, cancelled } = job.counts;
  if (failed === 0 && (cancelled === 0 || !areCancelledIn)) {
    const many = cancelled === 1 ? '1 was' : `${grouped(cancelled)} were`;
    const advice = `${many} cancelled; to take those:  --failed-of ${job.id} --and-cancelled`;
    const what = areCancelledIn ? 'has failed or was cancelled' : 'has failed';
    throw new CommandFailure('refused', `No task of ${namedText(job)} ${what}.`, [
      cancelled > 0 ? advice : `How it stands:  muster job ${job.id}`,
    ]);
  }
  const indices: number[] = [];
  const placeOf = (number: number) => `The input of task ${indices[number - 1]} of ${job.id}`;
  const statuses: readonly TaskStatus[] = areCancelledIn ? ['failed', 'cancelled'] : ['failed'];
  const values = inputsOf(client, job, statuses, indices);
  return { job, inputs: { type: 'list', values, placeOf }, areCancelledIn };
}

/** The name of a job that does anew what another one failed in. */
export function followUpName(program: string, { id }: JobHead): string {
  return `${program} (failed of ${id.slice(-ID_SHOWN)})`;
}

async function* inputsOf(
  client: MusterClient,
  job: JobHead,
  statuses: readonly TaskStatus[],
  indices: number[],
): AsyncGenerator<unknown, void, void> {
  for (const status of statuses) {
    for await (const task of tasksOf(client, job.id, { status, inputs: true })) {
      if (task.input === undefined) {
        const why = task.input_problem ?? 'This coordinator does not tell inputs.';
        throw new CommandFailure('refused', why);
      }
      indices.push(task.index);
      yield task.input;
    }
  }
  if (indices.length > 0) return;
  const sentence = `${namedText(job)} has changed meanwhile: none of its tasks is failed any more.`;
  throw new CommandFailure('refused', sentence, [
    'Its failed tasks run again, perhaps by a `retry`; no job was made.',
  ]);
}
