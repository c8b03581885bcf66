// Who was told of the end of a job.

import { z } from 'zod';
import { jobNotificationSchema } from '../../protocol/schemas/resources.ts';
import { answers, jobId } from '../answers.ts';
import { portsOf } from '../access/access.ts';
import type { App } from '../app.ts';
import { unknownJob } from '../refusal.ts';
import type { RouteContext } from './route-context.ts';

export function addNotificationRoutes(app: App, { coordinator }: RouteContext): void {
  app.get(
    '/api/jobs/:job_id/notifications',
    {
      config: { access: 'client' },
      schema: {
        tags: ['jobs'],
        operationId: 'listJobNotifications',
        summary: 'Who was told of the end of a job, newest first',
        description:
          'One for each address of `notify` and each end, of which a job has several when it is ' +
          'retried; the newest hundred. Empty until the job has ended.',
        params: jobId,
        response: answers(z.array(jobNotificationSchema), 'unknown_job'),
      },
    },
    async (request) => {
      const { job_id: id } = request.params;
      const notifications = await portsOf(coordinator, request).notifications.ofJob(id);
      if (notifications === undefined) throw unknownJob(id);
      return notifications;
    },
  );
}
