// Tokens, for admins: make, list, revoke.

import { z } from 'zod';
import type { TokenAsked } from '../../coordinator/port/tokens.ts';
import { queryFlag } from '../../protocol/schemas/fields.ts';
import { quotaChangeSchema } from '../../protocol/schemas/quotas.ts';
import { newTokenSchema, tokenAskedSchema, tokenSchema } from '../../protocol/schemas/tokens.ts';
import { answers, bodyRefusals, json, refused } from '../answers.ts';
import type { App } from '../app.ts';
import { bodyRules } from '../reading-rules.ts';
import { accepted } from '../refusal.ts';
import { readJsonBody } from '../request-body.ts';
import { validated } from '../validation.ts';
import type { RouteContext } from './route-context.ts';

const tags = ['access'];
const listQuery = z.object({
  workers: queryFlag().exactOptional().describe('Those of workers, instead of all others'),
});
const tokenId = z.object({ token_id: z.string().describe('As the list of tokens shows it') });

export function addTokenRoutes(app: App, { coordinator, limits, inFlight }: RouteContext): void {
  const schema = tokenAskedSchema(limits);
  const reading = {
    limitBytes: limits.helloBytes,
    limitName: 'hello_bytes',
    rules: bodyRules(limits),
    inFlight,
  };

  app.get(
    '/api/tokens',
    {
      config: { access: 'admin' },
      schema: {
        tags,
        operationId: 'listTokens',
        summary: 'All tokens but those of workers',
        description:
          'Oldest first, revoked ones too. What is secret of a token is nowhere. With `workers=true` those of ' +
          'workers instead, of cleared ones too, newest first, at most 10 000; without revoked ones.',
        querystring: listQuery,
        response: answers(z.array(tokenSchema), 'validation_failed'),
      },
    },
    async ({ query: { workers } }) => {
      const { tokens } = coordinator;
      return [...(await (workers === 'true' ? tokens.listOfWorkers() : tokens.list()))];
    },
  );

  app.post(
    '/api/tokens',
    {
      config: { access: 'admin', readsBody: true, audit: 'token.create' },
      schema: {
        tags,
        operationId: 'createToken',
        summary: 'Make a token',
        description:
          'The first must be of the kind `admin`: from then on nobody is served without a token, and ' +
          'what is open without one ends.',
        body: schema,
        response: {
          201: json(newTokenSchema, 'The token, which is told only now'),
          ...refused([...bodyRefusals, 'admin_token_first', 'overloaded']),
        },
      },
    },
    async (request, reply) => {
      const asked = validated(schema, await readJsonBody(request, reading), 'The body');
      const { token, resource } = accepted(await coordinator.tokens.create(tokenAsked(asked)));
      return reply
        .code(201)
        .header('cache-control', 'no-store')
        .send({ ...resource, token });
    },
  );

  app.patch(
    '/api/tokens/:token_id',
    {
      config: { access: 'admin', readsBody: true, audit: 'token.change' },
      schema: {
        tags,
        operationId: 'changeToken',
        summary: 'Change the quotas of a token',
        description:
          'From now on. What is not named stays; nothing that is there is taken away, and nothing new comes ' +
          'while there is more than the quota lets in.',
        params: tokenId,
        body: quotaChangeSchema,
        response: {
          200: json(tokenSchema, 'The token with its quotas'),
          ...refused([...bodyRefusals, 'unknown_token']),
        },
      },
    },
    async (request) => {
      const body = await readJsonBody(request, reading);
      const { quota } = validated(quotaChangeSchema, body, 'The body');
      return accepted(await coordinator.tokens.setQuota(request.params.token_id, quota));
    },
  );

  app.delete(
    '/api/tokens/:token_id',
    {
      config: { access: 'admin', audit: 'token.revoke' },
      schema: {
        tags,
        operationId: 'revokeToken',
        summary: 'Revoke a token',
        description:
          'At once: its streams and sockets end. With the token of a worker the worker is removed. The last admin token is revoked only when no other ' +
          'token is in use; after that nobody on this machine needs one.',
        params: tokenId,
        response: answers(tokenSchema, 'unknown_token', 'last_admin_token'),
      },
    },
    async (request) => accepted(await coordinator.tokens.revoke(request.params.token_id)),
  );
}

function tokenAsked(body: z.infer<ReturnType<typeof tokenAskedSchema>>): TokenAsked {
  const {
    expires_in_seconds: seconds,
    worker_labels: workerLabels,
    needs_approval: needsApproval,
    ...rest
  } = body;
  return {
    ...rest,
    ...(seconds === undefined ? {} : { expiresInMs: seconds * 1000 }),
    ...(workerLabels === undefined ? {} : { workerLabels }),
    ...(needsApproval === undefined ? {} : { needsApproval }),
  };
}
