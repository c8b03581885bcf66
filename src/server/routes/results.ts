// Results of a job: as an array, as lines, or as lines that keep coming until the job is final.

import { z } from 'zod';
import { taskResultSchema } from '../../protocol/schemas/resources.ts';
import { jobId, refused } from '../answers.ts';
import type { App } from '../app.ts';
import { unknownJob } from '../refusal.ts';
import { arrayTexts, jsonType, lineTexts, ndjsonType, untilStopped } from '../text-stream.ts';
import type { Room } from './room.ts';

const ndjson = 'application/x-ndjson';

const resultsQuery = z.object({
  follow: z
    .enum(['true', 'false'], 'must be true or false')
    .exactOptional()
    .describe('Stay until the job is final; the answer is NDJSON then, whatever `Accept` says'),
});

export function addResultRoutes(app: App, { coordinator, closing, openAnswers }: Room): void {
  app.get(
    '/api/jobs/:job_id/results',
    {
      schema: {
        tags: ['jobs'],
        summary: 'Results of the tasks that are final',
        description:
          'In index order, as an array or (by `Accept`) as NDJSON. With `follow` the stream stays open ' +
          'until the job is final: what comes later comes in order of completion.',
        params: jobId,
        querystring: resultsQuery,
        response: {
          200: {
            description: 'An array, or with `Accept: application/x-ndjson` one object a line',
            content: {
              'application/json': { schema: z.array(taskResultSchema) },
              [ndjson]: { schema: z.string().describe('One result object a line') },
            },
          },
          ...refused(['unknown_job', 'validation_failed', 'overloaded']),
        },
      },
    },
    async (request, reply) => {
      const { job_id: id } = request.params;
      const follow = request.query.follow === 'true' && request.method !== 'HEAD';
      const answer = openAnswers.open(request, reply);
      const signal = AbortSignal.any([closing, answer.signal]);
      const { pace } = answer;
      const chunks = await coordinator.findResults(id, { follow, signal, pace });
      if (chunks === undefined) throw unknownJob(id);
      reply.header('vary', 'accept');
      if (follow) {
        return answer.sendOpen(ndjsonType, lineTexts(untilStopped(coordinator, chunks)));
      }
      return prefersLines(request.headers.accept)
        ? answer.send(ndjsonType, lineTexts(chunks))
        : answer.send(jsonType, arrayTexts(chunks));
    },
  );
}

/** NDJSON only where it is named, and not below JSON. */
export function prefersLines(accept: string | undefined): boolean {
  if (accept === undefined || !accept.includes('ndjson')) return false;
  let lines = 0;
  let array = 0;
  for (const range of accept.toLowerCase().split(',')) {
    const [type, ...parameters] = range.split(';').map((part) => part.trim());
    const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
    const quality = weight === undefined ? 1 : Number(weight) || 0;
    if (type === ndjson) lines = quality;
    else if (type === 'application/json') array = quality;
  }
  return lines > 0 && lines >= array;
}
