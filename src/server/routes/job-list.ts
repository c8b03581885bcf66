// The list of jobs, as summaries or with their heads.

import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { JobStatus, JobSummary } from '../../protocol/resources.ts';
import { queryFlag, queryInteger, text } from '../../protocol/schemas/fields.ts';
import { jobStatusSchema, listedJobSchema } from '../../protocol/schemas/resources.ts';
import { portsOf } from '../access/access.ts';
import { answers } from '../answers.ts';
import type { App } from '../app.ts';
import type { OpenAnswer } from '../open-answers.ts';
import { arrayTexts, jsonChunks, jsonType, Page } from '../text-stream.ts';
import type { RouteContext } from './route-context.ts';

const longestPage = 10_000;
/** Heads are ten times as long as summaries, and are asked for often. */
const mostHeads = 200;
/** Jobs that one handle may mean; a person wants one. */
const mostMeant = 100;
const longestPart = 200;

const statusNames = jobStatusSchema.options;
const known: ReadonlySet<string> = new Set(statusNames);
const statusSentence = `must be one or more of ${statusNames.join(', ')}, divided by commas`;

const listQuery = z.object({
  status: z
    .string(statusSentence)
    .refine((list) => list.split(',').every((status) => known.has(status)), statusSentence)
    .exactOptional()
    .describe(
      `Only jobs with this status, or one of these, divided by commas: ${statusNames.join(', ')}`,
    ),
  client_id: z
    .string('must be given once')
    .exactOptional()
    .describe('Only jobs with this label of their submitter'),
  q: text(longestPart)
    .exactOptional()
    .describe(
      'Only jobs with this text in their name, id or client, in capitals or not. Jobs are looked through for it: ' +
        'give a `limit`',
    ),
  heads: queryFlag()
    .exactOptional()
    .describe(
      `\`true\`: with all that \`GET /api/jobs/{job_id}?tasks=false\` tells; a page of at most ${mostHeads}, ` +
        'also without `limit`',
    ),
  limit: queryInteger(1, longestPage)
    .exactOptional()
    .describe('Length of a page; without it all jobs come'),
  after: z
    .string('must be given once')
    .exactOptional()
    .describe('Id of the last job of the page before'),
  handle: z
    .string('must be given once')
    .min(1, 'must have a character')
    .exactOptional()
    .describe(
      'Only jobs that a person may mean by this text: the one with this id, or else those whose id begins ' +
        'or ends with it (four characters at least) and those with this name. At most 100; of the others ' +
        'only `limit` goes with it',
    ),
});

const jobsQuery = listQuery
  .refine(
    ({ handle, status, client_id, q, heads, after }) =>
      handle === undefined ||
      [status, client_id, q, heads, after].every((each) => each === undefined),
    { path: ['handle'], message: 'goes with `limit` only' },
  )
  .refine(({ heads, limit = 0 }) => heads !== 'true' || limit <= mostHeads, {
    path: ['limit'],
    message: `must be an integer from 1 to ${mostHeads} with \`heads\``,
  });

type JobsQuery = z.infer<typeof jobsQuery>;

export function addJobListRoute(
  app: App,
  { coordinator, openAnswers }: Pick<RouteContext, 'coordinator' | 'openAnswers'>,
): void {
  app.get(
    '/api/jobs',
    {
      config: { access: 'viewer', fromStore: true },
      schema: {
        tags: ['jobs'],
        operationId: 'listJobs',
        summary: 'All jobs, newest first',
        description:
          'With `limit` or `heads`, a `Link` header with `rel="next"` leads to the next page.',
        querystring: jobsQuery,
        response: answers(z.array(listedJobSchema), 'validation_failed'),
      },
    },
    async (request, reply) => {
      const { query } = request;
      const { reads } = portsOf(coordinator, request);
      if (query.handle !== undefined) {
        const most = Math.min(query.limit ?? mostMeant, mostMeant);
        const jobs = await reads.meantJobs(query.handle, most);
        return reply.type(jsonType).send(JSON.stringify(jobs));
      }
      const filter = filterOf(query);
      const hasHeads = query.heads === 'true';
      const limit = query.limit ?? (hasHeads ? mostHeads : undefined);
      const answer = openAnswers.open(request, reply);
      if (limit === undefined) {
        const chunks = jsonChunks(answer.paced(reads.jobs(filter)));
        return answer.send(jsonType, arrayTexts(chunks, answer.encode));
      }
      const asked = { ...filter, limit: limit + 1 };
      const chunks = answer.paced<readonly JobSummary[]>(
        hasHeads ? reads.jobHeads(asked) : reads.jobs(asked),
      );
      return sendPage(answer, chunks, limit, request, reply);
    },
  );
}

function filterOf({ status, client_id: clientId, after, q }: JobsQuery) {
  const statuses = status?.split(',') as JobStatus[] | undefined;
  return {
    ...(statuses === undefined ? {} : { statuses: [...new Set(statuses)] }),
    ...(clientId === undefined ? {} : { clientId }),
    ...(after === undefined ? {} : { after }),
    ...(q === undefined ? {} : { search: q }),
  };
}

/**
 * `chunks` has one job more than the page, if there is a next page. Each chunk becomes text by itself: that of
 * ten thousand jobs at once would hold everybody up.
 */
async function sendPage(
  answer: OpenAnswer,
  chunks: AsyncIterable<readonly JobSummary[]>,
  limit: number,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const page = new Page<JobSummary>();
  const encode = (piece: string) => Buffer.from(piece);
  const texts = arrayTexts(jsonChunks(page.take(chunks, limit)), encode);
  const pieces = await Array.fromAsync(texts);
  if (page.hasNext) {
    const next = new URLSearchParams(request.query as Record<string, string>);
    next.set('after', page.last!.id);
    reply.header('link', `</api/jobs?${next}>; rel="next"`);
  }
  return answer.sendWhole(jsonType, Buffer.concat(pieces));
}
