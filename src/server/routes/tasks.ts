// One task with its whole story.

import { z } from 'zod';
import { payloadText } from '../../protocol/codec.ts';
import { taskDetailSchema } from '../../protocol/schemas/task.ts';
import { answers, jobId } from '../answers.ts';
import type { App } from '../app.ts';
import { Refusal, shown, unknownJob } from '../refusal.ts';
import { jsonType } from '../text-stream.ts';
import type { Room } from './room.ts';

const taskParams = jobId.extend({
  index: z.string().describe('Position in the job, from 0'),
});

export function addTaskRoutes(app: App, { coordinator }: Room): void {
  app.get(
    '/api/jobs/:job_id/tasks/:index',
    {
      schema: {
        tags: ['jobs'],
        summary: 'Everything about one task',
        description:
          'Its attempts with the worker of each, times, error, checkpoints and result; and from ' +
          'when on it may be assigned again.',
        params: taskParams,
        response: answers(taskDetailSchema, 'unknown_job', 'unknown_task'),
      },
    },
    async (request, reply) => {
      const { job_id: id, index } = request.params;
      const task = await coordinator.findTask(id, indexOf(index));
      if (task === 'unknown_job') throw unknownJob(id);
      if (task === 'unknown_task') {
        throw new Refusal('unknown_task', `The job has no task with the index ${shown(index)}.`);
      }
      const { result, ...rest } = task;
      const head = JSON.stringify(rest).slice(0, -1);
      return reply.type(jsonType).send(`${head},"result":${payloadText(result)}}`);
    },
  );
}

/** What is no index is one that no job has. */
function indexOf(text: string): number {
  return /^(?:0|[1-9]\d{0,14})$/.test(text) ? Number(text) : Number.MAX_SAFE_INTEGER;
}
