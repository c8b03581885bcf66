// The results of a job: as an array, as lines, or as a stream of lines until the job is final.

import { z } from 'zod';
import { parseIndexRanges } from '../../protocol/index-ranges.ts';
import { queryFlag } from '../../protocol/schemas/fields.ts';
import { taskResultSchema } from '../../protocol/schemas/resources.ts';
import { jobId, refused } from '../answers.ts';
import { portsOf } from '../access/access.ts';
import type { App } from '../app.ts';
import { addVary } from '../cross-origin.ts';
import { unknownJob } from '../refusal.ts';
import { arrayTexts, jsonType, lineTexts, ndjsonType, openLines } from '../text-stream.ts';
import { preferredType } from './preferred-type.ts';
import type { RouteContext } from './route-context.ts';

const ndjson = 'application/x-ndjson';
const forms = { json: 'application/json', ndjson } as const;

/** What is read of it goes on, whoever decides. */
const theStore = { health: 'ready' } as const;

const rangesSentence =
  'must be indices and ranges of them that ascend, divided by commas, like 0-41,43';

const resultsQuery = z.object({
  have: z
    .string('must be given once')
    .refine((text) => parseIndexRanges(text) !== undefined, rangesSentence)
    .exactOptional()
    .describe('Indices of results that you have and do not need again, like `0-41,43`'),
  follow: queryFlag()
    .exactOptional()
    .describe('Stay until the job is final; the answer is NDJSON then, whatever `Accept` says'),
});

export function addResultRoutes(
  app: App,
  { coordinator, access, openAnswers }: RouteContext,
): void {
  app.get(
    '/api/jobs/:job_id/results',
    {
      config: { access: 'client', fromStore: true },
      schema: {
        tags: ['jobs'],
        operationId: 'listResults',
        summary: 'Results of the tasks that are final',
        description:
          'In index order, as an array or (by `Accept`) as NDJSON. With `follow` the stream stays open ' +
          'until the job is final: what comes later comes in order of completion, a task that is retried ' +
          'has a second line, and every 15 seconds without one there is an empty line. With `have` a ' +
          'stream that broke is taken up again: name what has `completed`, a retry may replace the rest.',
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
      if (follow) access.quotas.holdStream(request, reply);
      const answer = openAnswers.open(request, reply);
      const { signal, pace, encode } = answer;
      const have = parseIndexRanges(request.query.have ?? '') ?? [];
      const chunks = await portsOf(coordinator, request).reads.findResults(id, {
        follow,
        have,
        signal,
        pace,
        onLast: answer.endWithNext,
      });
      if (chunks === undefined) throw unknownJob(id);
      addVary(reply, 'accept');
      if (follow) {
        const source = request.isFromStore ? theStore : coordinator;
        return answer.sendOpen(ndjsonType, openLines(source, chunks, encode));
      }
      return preferredType(request.headers.accept, forms) === 'ndjson'
        ? answer.send(ndjsonType, lineTexts(chunks, encode))
        : answer.send(jsonType, arrayTexts(chunks, encode));
    },
  );
}
