// Checkpoints, and what became of attempts that were lost.

import { z } from 'zod';
import { checkpointSchema, recoveryEventSchema } from '../../protocol/schemas/task.ts';
import { answers, jobId } from '../answers.ts';
import { portsOf } from '../access/access.ts';
import type { App } from '../app.ts';
import { unknownJob } from '../refusal.ts';
import { arrayTexts, jsonChunks, jsonType } from '../text-stream.ts';
import type { RouteContext } from './route-context.ts';

const tags = ['recovery'];

export function addRecoveryRoutes(app: App, { coordinator, openAnswers }: RouteContext): void {
  app.get(
    '/api/checkpoints/job/:job_id',
    {
      config: { access: 'client', fromStore: true },
      schema: {
        tags,
        operationId: 'listCheckpoints',
        summary: 'All checkpoint records of a job, oldest first',
        description: 'What tasks saved of their progress; the next attempt goes on from the last.',
        params: jobId,
        response: answers(z.array(checkpointSchema), 'unknown_job'),
      },
    },
    async (request, reply) => {
      const { job_id: id } = request.params;
      const answer = openAnswers.open(request, reply);
      const checkpoints = await portsOf(coordinator, request).taskReads.findCheckpoints(id);
      if (checkpoints === undefined) throw unknownJob(id);
      return answer.send(
        jsonType,
        arrayTexts(jsonChunks(answer.paced(checkpoints)), answer.encode),
      );
    },
  );

  app.get(
    '/api/checkpoints/recovery-events',
    {
      config: { access: 'viewer', fromStore: true },
      schema: {
        tags,
        operationId: 'listRecoveryEvents',
        summary: 'All recovery events of all jobs, newest first',
        description:
          'Made when a started attempt is lost, as `requeued`; the rest is filled in when its task ' +
          'is assigned and started again. Errors that a task reports itself make none.',
        response: answers(z.array(recoveryEventSchema)),
      },
    },
    (request, reply) => {
      const answer = openAnswers.open(request, reply);
      const events = answer.paced(portsOf(coordinator, request).taskReads.recoveryEvents());
      return answer.send(jsonType, arrayTexts(jsonChunks(events), answer.encode));
    },
  );
}
