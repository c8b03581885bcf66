// Who did what when: as one page from memory, or all that is stored as a table or as lines.

import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import {
  type ExportedAttempt,
  exportedCsvHeader,
  exportedCsvLine,
  type ExportFormat,
} from '../../protocol/exported-attempts.ts';
import { queryInteger, queryTime } from '../../protocol/schemas/fields.ts';
import { attemptHistorySchema, exportedAttemptSchema } from '../../protocol/schemas/evaluation.ts';
import { portsOf } from '../access/access.ts';
import { refused } from '../answers.ts';
import type { App } from '../app.ts';
import { addVary } from '../cross-origin.ts';
import type { OpenAnswer } from '../open-answers.ts';
import { refusedField } from '../refusal.ts';
import { csvType, jsonType, lineTexts, ndjsonType } from '../text-stream.ts';
import { known, period, periodQuery } from './evaluation-period.ts';
import { preferredType } from './preferred-type.ts';
import type { RouteContext } from './route-context.ts';

const longestHistory = 10_000;
const defaultHistory = 1_000;

const types = {
  json: 'application/json',
  ndjson: 'application/x-ndjson',
  csv: 'text/csv',
} as const;

const attemptsQuery = z.object({
  job_id: periodQuery.shape.job_id,
  worker_id: z.string('must be given once').exactOptional().describe('Only on this worker'),
  since: queryTime().exactOptional().describe('Only what was live then or later, ISO 8601'),
  until: queryTime().exactOptional().describe('Only what was assigned before, ISO 8601'),
  limit: queryInteger(1, longestHistory)
    .exactOptional()
    .describe(`How many at most; default ${defaultHistory}. An export has no limit`),
  format: z
    .enum(['json', 'csv', 'ndjson'], 'must be json, csv or ndjson')
    .exactOptional()
    .describe(
      '`csv` or `ndjson`: an export of all attempts that are over and stored. It wins over `Accept`, where ' +
        '`text/csv` and `application/x-ndjson` say the same',
    ),
});

export function addAttemptRoute(
  app: App,
  { coordinator, openAnswers }: Pick<RouteContext, 'coordinator' | 'openAnswers'>,
): void {
  app.get(
    '/api/evaluation/attempts',
    {
      config: { access: 'viewer', fromStore: true },
      schema: {
        tags: ['evaluation'],
        operationId: 'listAttempts',
        summary: 'Who did what when: attempts that are live, and the newest of those that are over',
        description:
          'Live attempts first, then those that are over, newest end first. From memory: what ended before ' +
          '`kept_since` may be left out, and what ended before the coordinator was started is. Attempts of ' +
          'removed jobs are removed with them. As CSV or NDJSON (by `format` or `Accept`) it is an export from ' +
          'the store: every attempt that is over, whenever it ended, a row each, by job (newest first), index ' +
          'and number; nothing is left out, and what ends meanwhile may be in it.',
        querystring: attemptsQuery,
        response: {
          200: {
            description: 'A page from memory, or the export: a row for each attempt that is over',
            content: {
              [types.json]: { schema: attemptHistorySchema },
              [types.ndjson]: { schema: exportedAttemptSchema },
              [types.csv]: {
                schema: z
                  .string()
                  .describe(
                    'A line of names (those of the fields of a line in NDJSON), then the rows',
                  ),
              },
            },
          },
          ...refused(['unknown_job', 'validation_failed', 'overloaded']),
        },
      },
    },
    async (request, reply) => {
      const { worker_id: workerId, limit, format, ...query } = request.query;
      const asked = { ...period(query), ...(workerId === undefined ? {} : { workerId }) };
      const form = format ?? preferredType(request.headers.accept, types);
      addVary(reply, 'accept');
      if (form === 'json') {
        const most = { ...asked, limit: limit ?? defaultHistory };
        const found = await portsOf(coordinator, request).evaluation.attempts(most);
        return reply.type(jsonType).send(JSON.stringify(known(found, query)));
      }
      if (limit !== undefined) throw refusedField('limit', 'goes with JSON only');
      const answer = openAnswers.open(request, reply);
      const chunks = await portsOf(coordinator, request).evaluation.exportAttempts(asked);
      return sendExport(answer, form, known(chunks, query));
    },
  );
}

/** Each chunk is read in the turn of the answer, when its reader has taken the one before. */
function sendExport(
  answer: OpenAnswer,
  format: ExportFormat,
  chunks: AsyncIterable<readonly ExportedAttempt[]>,
): Promise<FastifyReply> {
  const paced = answer.paced(chunks);
  return format === 'csv'
    ? answer.send(csvType, tableTexts(paced, answer))
    : answer.send(ndjsonType, lineTexts(jsonLines(paced), answer.encode));
}

async function* jsonLines(chunks: AsyncIterable<readonly ExportedAttempt[]>) {
  for await (const chunk of chunks) yield chunk.map((row) => JSON.stringify(row));
}

async function* tableTexts(
  chunks: AsyncIterable<readonly ExportedAttempt[]>,
  { encode }: Pick<OpenAnswer, 'encode'>,
) {
  let head = exportedCsvHeader();
  for await (const chunk of chunks) {
    if (chunk.length === 0) continue;
    yield encode(head + chunk.map(exportedCsvLine).join(''));
    head = '';
  }
  if (head !== '') yield encode(head);
}
