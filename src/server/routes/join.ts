// Links that let a device join: made by an admin, and what one says of itself to who holds it.

import type { z } from 'zod';
import { writeJoinLink } from '../../protocol/join-link.ts';
import { joinLinkAskedSchema, joinLinkSchema, joinSchema } from '../../protocol/schemas/tokens.ts';
import type { JoinLinkResource, JoinResource, TokenResource } from '../../protocol/tokens.ts';
import { answers, bodyRefusals, json, refused } from '../answers.ts';
import type { App } from '../app.ts';
import { findJoinAddress } from '../join-address.ts';
import { qrRows } from '../qr-code.ts';
import { bodyRules } from '../reading-rules.ts';
import { accepted, Refusal, shown } from '../refusal.ts';
import { readJsonBody } from '../request-body.ts';
import { validated } from '../validation.ts';
import type { RouteContext } from './route-context.ts';

const tags = ['access'];

export function addJoinRoutes(app: App, context: RouteContext): void {
  const { coordinator, access, limits, inFlight, door, coordinatorName } = context;
  const schema = joinLinkAskedSchema(limits);
  const reading = {
    limitBytes: limits.helloBytes,
    limitName: 'hello_bytes',
    rules: bodyRules(limits),
    inFlight,
  };

  app.post(
    '/api/join-links',
    {
      config: { access: 'admin', readsBody: true, audit: 'token.create' },
      schema: {
        tags,
        operationId: 'createJoinLink',
        summary: 'Make a link that lets a device join',
        description:
          'A join token with the address by which devices reach this coordinator, and the pin of its ' +
          'certificate if nobody else vouches for that. Whoever has the link can join, until it has ended.',
        body: schema,
        response: {
          201: json(joinLinkSchema, 'The link, which is told only now'),
          ...refused([...bodyRefusals, 'admin_token_first', 'overloaded']),
        },
      },
    },
    async (request, reply): Promise<JoinLinkResource> => {
      const asked = validated(schema, await readJsonBody(request, reading), 'The body');
      const place = findJoinAddress(door(), access.options.callers.of(request.raw), asked.address);
      if (place === undefined) throw notAnAddress(asked.address ?? '');
      const { url: address, others, isOnlyHere, pin } = place;
      if (!access.isNeeded) throw noLinkNeeded(address, access.options.isOpen);
      const { token, resource } = accepted(await coordinator.tokens.create(tokenAsked(asked)));
      const link = writeJoinLink({ url: address, token, pin });
      void reply.code(201).header('cache-control', 'no-store');
      return {
        ...resource,
        link,
        address,
        other_addresses: others,
        only_this_machine: isOnlyHere,
        qr: qrRows(link),
      };
    },
  );

  app.get(
    '/api/join',
    {
      config: { access: 'joining' },
      schema: {
        tags,
        operationId: 'getJoin',
        summary: 'What a join token is for',
        description:
          'Told to who shows it, and to nobody else. It is not used up by this. Where nobody needs a token, ' +
          'it is asked without one, and tells who asks for help.',
        response: answers(joinSchema),
      },
    },
    async (request): Promise<JoinResource> => {
      const { bearer } = request;
      const found = bearer && (await coordinator.tokens.find(bearer.principal.tokenId));
      const isOpenDoor = !access.isNeeded && request.headers.authorization === undefined;
      if (isOpenDoor) return { ...openDoor, coordinator_name: coordinatorName };
      // Of another time, when tokens were needed, or it was good a moment ago.
      if (!found) throw new Refusal('unauthorized', 'No link is good here now.');
      return joinResource(found, coordinatorName);
    },
  );
}

function tokenAsked(asked: z.infer<ReturnType<typeof joinLinkAskedSchema>>) {
  const {
    address: _address,
    expires_in_seconds: seconds,
    worker_labels: labels,
    needs_approval: needsApproval,
    ...rest
  } = asked;
  return {
    kind: 'join',
    ...rest,
    expiresInMs: seconds * 1000,
    needsApproval,
    ...(labels === undefined ? {} : { workerLabels: labels }),
  } as const;
}

function joinResource(
  { id, label, expires_at, uses_left, worker_labels, needs_approval }: TokenResource,
  coordinatorName: string | null,
): JoinResource {
  return {
    coordinator_name: coordinatorName,
    id,
    label,
    expires_at,
    uses_left,
    worker_labels,
    needs_approval,
  };
}

/** Where nobody needs a token. */
const openDoor = {
  id: null,
  label: null,
  expires_at: null,
  uses_left: null,
  worker_labels: {},
  needs_approval: false,
} as const;

function notAnAddress(given: string): Refusal {
  const form = 'must be a host, host:port, or an address like https://host:8000';
  const isPlain = /^http:/i.test(given);
  const more = isPlain ? ' (https:// where devices reach the coordinator by HTTPS)' : '';
  const message = `${form}${more}, not ${shown(given)}`;
  return new Refusal('validation_failed', `The field address ${message}.`, [
    { path: 'address', message },
  ]);
}

function noLinkNeeded(address: string, isOpen: boolean): Refusal {
  const how = `muster worker ${address}`;
  if (isOpen) {
    return new Refusal(
      'admin_token_first',
      `Nobody needs a link here, the coordinator is open to everybody (--open): ${how}`,
    );
  }
  return new Refusal(
    'admin_token_first',
    `Only this machine can join, and it needs no link: ${how}. To let others join, make a token ` +
      '(muster token create --kind admin), and start the coordinator with --host 0.0.0.0 --tls self-signed.',
  );
}
