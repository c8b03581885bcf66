// The events of the coordinator as a stream of server-sent events, which can go on after an interruption.

import { z } from 'zod';
import { eventTypes } from '../../coordinator/streams/wire-events.ts';
import { refused } from '../answers.ts';
import { portsOf, principalOf } from '../access/access.ts';
import type { App } from '../app.ts';
import { eventStreamType, eventTexts, noPlace } from '../event-text.ts';
import type { Principal } from '../../coordinator/port/principal.ts';
import { Refusal, unknownJob } from '../refusal.ts';
import { untilStopped } from '../text-stream.ts';
import type { RouteContext } from './route-context.ts';

const typeNames = Object.keys(eventTypes);
const known: ReadonlySet<string> = new Set(typeNames);
const typesSentence = `must be a list of event types, divided by commas, of ${typeNames.join(', ')}`;

const eventsQuery = z.object({
  job_id: z
    .string('must be given once')
    .exactOptional()
    .describe('Only what concerns this job, its tasks included'),
  types: z
    .string(typesSentence)
    .refine((list) => list.split(',').every((type) => known.has(type)), typesSentence)
    .exactOptional()
    .describe(`Only these types, divided by commas: ${typeNames.join(', ')}`),
  last_event_id: z
    .string('must be given once')
    .exactOptional()
    .describe('As the header `Last-Event-ID`, for readers that cannot set it'),
});

const description =
  'Server-Sent Events: each has an `id`, its type as `event`, and `data` in JSON. A comment comes at ' +
  'once and every 15 seconds. With the id of the last event seen in `Last-Event-ID` the stream goes ' +
  'on behind it; when that is too old, the first event is `reset`: fetch everything again. Events ' +
  'of single tasks come only with `job_id` or `types`, `counters` only with `types`.';

export function addEventRoutes(app: App, { coordinator, access, openAnswers }: RouteContext): void {
  app.get(
    '/api/events',
    {
      config: { access: 'viewer' },
      schema: {
        tags: ['events'],
        operationId: 'followEvents',
        summary: 'Everything that happens, as it happens',
        description,
        querystring: eventsQuery,
        headers: z.looseObject({
          'last-event-id': z.string().exactOptional().describe('Of the last event that was seen'),
        }),
        response: {
          200: {
            description: 'A stream without an end; see the reference of the events',
            content: { 'text/event-stream': { schema: z.string() } },
          },
          ...refused(['unknown_job', 'validation_failed', 'overloaded']),
        },
      },
    },
    async (request, reply) => {
      const { job_id: job, types } = request.query;
      if (
        job !== undefined &&
        (await portsOf(coordinator, request).reads.findJob(job)) === undefined
      )
        throw unknownJob(job);
      reply.header('cache-control', 'no-cache, no-transform').header('x-accel-buffering', 'no');
      if (request.method === 'HEAD') return reply.type(eventStreamType).send('');
      access.quotas.holdStream(request, reply);
      const answer = openAnswers.open(request, reply);
      const wanted = typesFor(principalOf(request), types?.split(','), job !== undefined);
      const filter = {
        ...(job === undefined ? {} : { jobId: job }),
        ...(wanted === undefined ? {} : { types: wanted }),
      };
      const given = request.headers['last-event-id'] ?? request.query.last_event_id ?? '';
      const isNew = given === '';
      const chunks = portsOf(coordinator, request).events.follow(filter, {
        lastEventId: isNew ? noPlace : given,
        signal: answer.signal,
        pace: answer.pace,
      });
      const texts = eventTexts(untilStopped(coordinator, chunks), { isNew });
      return answer.sendOpen(eventStreamType, {
        chunks: texts,
        pieceOf: (text) => Buffer.from(text),
      });
    },
  );
}

/** Come only to who names them. */
const unasked: ReadonlySet<string> = new Set(['counters']);

/**
 * What tasks print is not for who only looks on. Undefined: what comes without a list, in which texts that are
 * printed come only with a job.
 */
function typesFor(
  { role }: Principal,
  asked: readonly string[] | undefined,
  hasJob: boolean,
): readonly string[] | undefined {
  if (role !== 'viewer' || (asked === undefined && !hasJob)) return asked;
  const all = asked ?? typeNames.filter((type) => !unasked.has(type));
  const wanted = all.filter((type) => type !== 'output');
  if (wanted.length > 0) return wanted;
  throw new Refusal('forbidden', 'What tasks print needs a token of the kind admin or client.');
}
