// One task: everything about it, and the explanation of its state.

import { z } from 'zod';
import { payloadText } from '../../protocol/codec.ts';
import type { TaskInput } from '../../protocol/resources.ts';
import { taskExplanationSchema } from '../../protocol/schemas/explanations.ts';
import { queryInteger } from '../../protocol/schemas/fields.ts';
import { taskDetailSchema } from '../../protocol/schemas/task.ts';
import { answers, jobId } from '../answers.ts';
import { portsOf } from '../access/access.ts';
import type { App } from '../app.ts';
import { Refusal, shown, unknownJob } from '../refusal.ts';
import { jsonType } from '../text-stream.ts';
import type { RouteContext } from './route-context.ts';

export const taskParams = jobId.extend({
  // Read as text: what is no index is one that no job has.
  index: z
    .string()
    .meta({ type: 'integer', minimum: 0, description: 'Position in the job, from 0' }),
});

const explainQuery = z.object({
  attempt: queryInteger(1, 1_000_000_000)
    .exactOptional()
    .describe('Whose decision is shown; default the newest'),
});

export function addTaskRoutes(app: App, { coordinator }: RouteContext): void {
  app.get(
    '/api/jobs/:job_id/tasks/:index',
    {
      config: { access: 'client', fromStore: true },
      schema: {
        tags: ['jobs'],
        operationId: 'getTask',
        summary: 'Everything about one task',
        description:
          'Its input, its attempts with the worker of each, times, error, checkpoints and result; and ' +
          'from when on it may be assigned again.',
        params: taskParams,
        response: answers(taskDetailSchema, 'unknown_job', 'unknown_task'),
      },
    },
    async (request, reply) => {
      const { job_id: id, index } = request.params;
      const task = found(
        await portsOf(coordinator, request).taskReads.findTask(id, indexOf(index)),
        id,
        index,
      );
      const { result, ...rest } = task;
      const head = taskText(rest).slice(0, -1);
      return reply.type(jsonType).send(`${head},"result":${payloadText(result)}}`);
    },
  );

  app.get(
    '/api/jobs/:job_id/tasks/:index/explain',
    {
      config: { access: 'viewer' },
      schema: {
        tags: ['jobs'],
        operationId: 'explainTask',
        summary: 'Why the task is where it is',
        description:
          'For a pending task, what it waits for, worker by worker. For one that was placed, the ' +
          'decision that placed it with the whole table it was made from. And its story in words.',
        params: taskParams,
        querystring: explainQuery,
        response: answers(
          taskExplanationSchema,
          'unknown_job',
          'unknown_task',
          'validation_failed',
        ),
      },
    },
    async (request, reply) => {
      const { job_id: id, index } = request.params;
      const answer = await portsOf(coordinator, request).taskReads.explainTask(
        id,
        indexOf(index),
        request.query.attempt,
      );
      return reply.type(jsonType).send(JSON.stringify(found(answer, id, index)));
    },
  );
}

/** As JSON, with the text of its input as it was sent. */
export function taskText({ input, ...rest }: TaskInput): string {
  const text = JSON.stringify(rest);
  return input === undefined ? text : `${text.slice(0, -1)},"input":${payloadText(input)}}`;
}

export function found<T extends object>(
  task: T | 'unknown_job' | 'unknown_task',
  id: string,
  index: string,
): T {
  if (task === 'unknown_job') throw unknownJob(id);
  if (task === 'unknown_task') {
    throw new Refusal('unknown_task', `The job has no task with the index ${shown(index)}.`);
  }
  return task;
}

/** A text that is no index becomes an index that no job has. */
export function indexOf(text: string): number {
  return /^(?:0|[1-9]\d{0,14})$/.test(text) ? Number(text) : Number.MAX_SAFE_INTEGER;
}
