// What was done, and by whom, for admins.

import { z } from 'zod';
import { auditOutcomes } from '../../protocol/audit.ts';
import { actionNames, auditEntrySchema } from '../../protocol/schemas/audit.ts';
import { oneOf, queryInteger, queryTime } from '../../protocol/schemas/fields.ts';
import { answers } from '../answers.ts';
import type { App } from '../app.ts';
import { plainAddress } from '../networks.ts';
import type { RouteContext } from './route-context.ts';

const usualPage = 100;
const longestPage = 1_000;
const once = 'must be given once';

const auditQuery = z.object({
  token: z.string(once).exactOptional().describe('Only what was asked with the token of this id'),
  owner: z.string(once).exactOptional().describe('Only what was asked for this owner'),
  action: oneOf(actionNames).exactOptional().describe('Only this action'),
  outcome: oneOf(auditOutcomes).exactOptional().describe('Only what came out like this'),
  address: z.string(once).exactOptional().describe('Only what was asked from there'),
  since: queryTime().exactOptional().describe('Only from this time on, ISO 8601'),
  until: queryTime().exactOptional().describe('Only before this time, ISO 8601'),
  before: queryInteger(1, Number.MAX_SAFE_INTEGER)
    .exactOptional()
    .describe('Only entries with a smaller `id`: that of the last of the page before'),
  limit: queryInteger(1, longestPage)
    .exactOptional()
    .describe(`Length of a page; ${usualPage} without it`),
});

export function addAuditRoutes(app: App, { coordinator }: RouteContext): void {
  app.get(
    '/api/audit',
    {
      config: { access: 'admin' },
      schema: {
        tags: ['access'],
        operationId: 'listAudit',
        summary: 'What was done, and by whom, newest first',
        description: 'A `Link` header with `rel="next"` leads to the next page.',
        querystring: auditQuery,
        response: answers(z.array(auditEntrySchema), 'validation_failed'),
      },
    },
    async (request, reply) => {
      const { token: tokenId, address, since, until, before, limit, ...same } = request.query;
      const filter = {
        ...same,
        ...(tokenId === undefined ? {} : { tokenId }),
        ...(address === undefined ? {} : { address: plainAddress(address) ?? address }),
        ...(since === undefined ? {} : { since: Date.parse(since) }),
        ...(until === undefined ? {} : { until: Date.parse(until) }),
      };
      const most = limit ?? usualPage;
      const found = await coordinator.audit.list(filter, before ?? null, most + 1);
      const page = found.slice(0, most);
      if (found.length > most) {
        const next = new URLSearchParams(request.query as unknown as Record<string, string>);
        next.set('before', String(page.at(-1)!.id));
        reply.header('link', `</api/audit?${next}>; rel="next"`);
      }
      return page;
    },
  );
}
