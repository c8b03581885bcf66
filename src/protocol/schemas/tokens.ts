// Tokens in requests and answers.

import { z } from 'zod';
import type { Limits } from '../limits.ts';
import { tokenKinds } from '../token-text.ts';
import { tokenStatuses } from '../tokens.ts';
import { exampleTime, integer } from './fields.ts';
import { quotaAskedSchema } from './quotas.ts';

const secondsPerMonth = 30 * 24 * 3_600;
const secondsPerYear = 366 * 24 * 3_600;
const longestSeconds = 10 * secondsPerYear;
const mostUses = 1_000_000;
/** Of links that let a device join: they are passed on, and photographed. */
const usualUses = 1;
const usualSeconds = 3_600;
const mostAddressCharacters = 300;
/** A part of the keys by which its submissions are known again. */
const mostOwnerCharacters = 199;
/** No control characters in it, line breaks among them. */
const oneLine = /^\P{Cc}+$/u;
const kindsAsked = ['admin', 'client', 'viewer', 'join'] as const;

function nameField({ nameCharacters }: Limits) {
  const rule = `must be a text of 1 to ${nameCharacters} characters`;
  return z.string(rule).min(1, rule).max(nameCharacters, rule);
}

function labelsField({ nameCharacters, labelsPerWorker }: Limits, name: z.ZodString) {
  return z
    .record(name, z.string().max(nameCharacters))
    .refine((labels) => Object.keys(labels).length <= labelsPerWorker, {
      message: `must have at most ${labelsPerWorker} labels`,
    });
}

export function tokenAskedSchema(limits: Limits) {
  const name = nameField(limits);
  const ownerRule = `must be a line of 1 to ${mostOwnerCharacters} characters`;
  const owner = z.string(ownerRule).max(mostOwnerCharacters, ownerRule).regex(oneLine, ownerRule);
  return z
    .strictObject({
      kind: z.enum(kindsAsked, `must be one of ${kindsAsked.join(', ')}`),
      owner: owner
        .exactOptional()
        .describe('Whose the jobs are that it submits; by default the id of the token'),
      label: name.exactOptional().describe('For lists: what or whom it is for'),
      expires_in_seconds: integer(1, longestSeconds)
        .exactOptional()
        .describe('Without it a join token is good for an hour, any other for good'),
      uses: integer(1, mostUses)
        .exactOptional()
        .describe('Of a join token: how many workers it may register; any number without it'),
      worker_labels: labelsField(limits, name)
        .exactOptional()
        .describe('Of a join token: fixed on every worker that registers with it'),
      needs_approval: z
        .boolean()
        .exactOptional()
        .describe(
          'Of a join token: workers that register with it wait until a person lets them in',
        ),
      quota: quotaAskedSchema
        .exactOptional()
        .describe('What it may use; what is not named is as its kind has it'),
    })
    .refine(({ kind, needs_approval: waits }) => kind === 'join' || waits !== true, {
      path: ['needs_approval'],
      message: 'goes with the kind join only',
    })
    .refine(({ kind, uses }) => kind === 'join' || uses === undefined, {
      path: ['uses'],
      message: 'goes with the kind join only',
    })
    .refine(({ kind, worker_labels: labels }) => kind === 'join' || labels === undefined, {
      path: ['worker_labels'],
      message: 'goes with the kind join only',
    })
    .meta({ title: 'TokenAsked', examples: [{ kind: 'client', owner: 'ann', label: 'laptop' }] });
}

export function joinLinkAskedSchema(limits: Limits) {
  const name = nameField(limits);
  const addressRule = 'must be a host, host:port, or an address like https://host:8000';
  return z
    .strictObject({
      label: name.exactOptional().describe('For lists: for whom or what it is'),
      expires_in_seconds: integer(1, secondsPerMonth)
        .default(usualSeconds)
        .describe('How long it is good'),
      uses: integer(1, mostUses)
        .default(usualUses)
        .describe(
          'How many devices may join with it: a link that was passed on lets nobody else in',
        ),
      worker_labels: labelsField(limits, name)
        .exactOptional()
        .describe('Fixed on every worker that joins with it'),
      needs_approval: z
        .boolean()
        .default(false)
        .describe(
          'Who joins with it waits until a person lets it in (`/api/workers/{id}/approve`)',
        ),
      address: z
        .string(addressRule)
        .max(mostAddressCharacters, addressRule)
        .exactOptional()
        .describe(
          'By which devices reach the coordinator: a host, host:port, or https://host:port; without ' +
            'it, one is found',
        ),
    })
    .meta({ title: 'JoinLinkAsked', examples: [{ label: 'laptop of Ann', uses: 1 }] });
}

const nullableTime = z.iso.datetime().nullable();

const tokenExample = {
  id: '4k2m9x0b',
  kind: 'client',
  owner: 'ann',
  label: 'laptop',
  status: 'good',
  created_at: exampleTime,
  expires_at: null,
  last_used_at: null,
  uses_left: null,
  revoked_at: null,
  worker_labels: {},
  quota: { open_jobs: 100 },
  needs_approval: false,
  worker_id: null,
  worker_name: null,
} as const;

export const tokenSchema = z
  .object({
    id: z.string().describe('Public: the third part of the text of the token'),
    kind: z.enum(tokenKinds),
    owner: z.string().describe('Whose the jobs are that it submits'),
    label: z.string().nullable(),
    status: z.enum(tokenStatuses),
    created_at: z.iso.datetime(),
    expires_at: nullableTime.describe('Null: never'),
    last_used_at: nullableTime.describe('To about ten minutes; null before its first use'),
    uses_left: z.int().min(0).nullable().describe('Null: any number'),
    revoked_at: nullableTime,
    worker_labels: z.record(z.string(), z.string()),
    quota: z
      .record(z.string(), z.number())
      .describe('Those that were set, by name; the others are as its kind has them'),
    needs_approval: z
      .boolean()
      .describe('Workers that register with it wait until a person lets them in'),
    worker_id: z
      .string()
      .nullable()
      .describe("Of a worker's token: the worker, which may have been cleared away; else null"),
    worker_name: z
      .string()
      .nullable()
      .describe("Of a worker's token: how an operator has named the worker; null: not at all"),
  })
  .meta({ examples: [tokenExample] });

export const newTokenSchema = tokenSchema
  .extend({ token: z.string().describe('Told only now: nobody can read it again') })
  .meta({
    examples: [
      { ...tokenExample, token: 'mst_c_4k2m9x0b_Ub3gX0c1Pq7nW5sYd8mKfTjL2hRvZaEo_0z7k3qd' },
    ],
  });

const joinTokenExample = {
  ...tokenExample,
  kind: 'join',
  owner: '4k2m9x0b',
  label: 'laptop of Ann',
  expires_at: exampleTime,
  uses_left: 1,
} as const;

export const joinLinkSchema = tokenSchema
  .extend({
    link: z.string().describe('With the secret of the token behind `#`: told only now'),
    address: z.string().describe('Of the coordinator, as the link names it'),
    other_addresses: z.array(z.string()).describe('By which it may be reached as well'),
    only_this_machine: z.boolean().describe('Devices elsewhere cannot reach the address'),
    qr: z
      .array(z.string())
      .describe('The link as a QR code, row by row with a margin of four modules: `1` is dark'),
  })
  .meta({
    examples: [
      {
        ...joinTokenExample,
        link: 'https://192.168.1.10:8000/join#t=mst_j_4k2m9x0b_Ub3gX0c1Pq7nW5sYd8mKfTjL2hRvZaEo_1d0hcn3.k=CqXbL1VcxCzh08JWPjUdN25y-6uhYCIPFlGT-OdS1l4',
        address: 'https://192.168.1.10:8000',
        other_addresses: ['https://10.0.0.4:8000'],
        only_this_machine: false,
        qr: ['000000000', '000010000', '000000000'],
      },
    ],
  });

export const joinSchema = z
  .object({
    coordinator_name: z
      .string()
      .nullable()
      .describe(
        'What people call the coordinator (`--coordinator-name`); null when nobody has said',
      ),
    id: z
      .string()
      .nullable()
      .describe('Public: the third part of the text of the token; null where nobody needs one'),
    label: z.string().nullable(),
    expires_at: nullableTime,
    uses_left: z.int().min(0).nullable().describe('Null: any number'),
    worker_labels: z.record(z.string(), z.string()),
    needs_approval: z.boolean().describe('A person lets in who joins'),
  })
  .meta({
    examples: [
      {
        coordinator_name: "Ann's lab",
        id: '4k2m9x0b',
        label: 'laptop of Ann',
        expires_at: exampleTime,
        uses_left: 1,
        worker_labels: {},
        needs_approval: false,
      },
    ],
  });

export const sessionAskedSchema = z
  .strictObject({ token: z.string('must be a text').min(1, 'must be a token') })
  .meta({ examples: [{ token: 'mst_c_4k2m9x0b_Ub3gX0c1Pq7nW5sYd8mKfTjL2hRvZaEo_0z7k3qd' }] });

export const sessionSchema = z
  .object({
    kind: z.enum(tokenKinds),
    owner: z.string(),
    expires_in_seconds: z.int().describe('The session ends before when its token does'),
  })
  .meta({
    examples: [{ kind: 'client', owner: 'ann', expires_in_seconds: 43_200 }],
  });

export const currentSessionSchema = z
  .object({
    kind: z.enum(tokenKinds).describe('What who asks may do; `admin` where nobody needs a token'),
    owner: z.string().nullable().describe('Null where nobody needs a token'),
    label: z.string().nullable().describe('Of the token; null: it has none'),
    open: z.boolean().describe('Nobody needs a token, from wherever it asks (`--open`)'),
    needs_token: z.boolean().describe('Nobody is served without a token'),
  })
  .meta({
    examples: [{ kind: 'client', owner: 'ann', label: 'laptop', open: false, needs_token: true }],
  });

export const sessionEndSchema = z
  .object({ status: z.literal('ended') })
  .meta({ examples: [{ status: 'ended' }] });

export const ticketSchema = z
  .object({
    ticket: z.string().describe('For `Sec-WebSocket-Protocol: muster, ticket.<it>`; good once'),
    expires_in_seconds: z.int(),
  })
  .meta({
    examples: [{ ticket: 'Ub3gX0c1Pq7nW5sYd8mKfTjL2hRvZaEo', expires_in_seconds: 60 }],
  });
