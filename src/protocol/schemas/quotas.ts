// Quotas in requests and answers.

import { z } from 'zod';
import { quotaNames, quotaTable, type QuotaName } from '../quotas.ts';
import { tokenKinds } from '../token-text.ts';
import { integer } from './fields.ts';

type Fields<Field> = { readonly [Name in QuotaName]: Field };

function fields<Field>(make: (name: QuotaName) => Field): Fields<Field> {
  return Object.fromEntries(quotaNames.map((name) => [name, make(name)])) as Fields<Field>;
}

/** The names that exist, for one that does not. */
const unknownName = {
  error: ({ code, keys }: { readonly code?: string; readonly keys?: readonly string[] }) =>
    code === 'unrecognized_keys'
      ? `There is no quota "${String(keys?.[0]).slice(0, 40)}"; there are ${quotaNames.join(', ')}.`
      : 'must be an object of quotas',
};

function bound(name: QuotaName) {
  const { least, most } = quotaTable[name];
  return integer(least, most);
}

export const quotaAskedSchema = z.strictObject(
  fields((name) => bound(name).exactOptional().describe(quotaTable[name].meaning)),
  unknownName,
);

export const quotaChangeSchema = z
  .strictObject({
    quota: z.strictObject(
      fields((name) =>
        bound(name)
          .nullable()
          .exactOptional()
          .describe(`${quotaTable[name].meaning}. Null: as its kind has it`),
      ),
      unknownName,
    ),
  })
  .meta({ examples: [{ quota: { open_jobs: 100, streams: null } }] });

export const quotaUseSchema = z
  .object({
    token_id: z.string().nullable().describe('Null where nobody needs a token'),
    kind: z.enum(tokenKinds),
    owner: z.string(),
    quotas: z.array(
      z.object({
        name: z.enum(quotaNames as [QuotaName, ...QuotaName[]]),
        bound: z.int().nullable().describe('Null: not bounded'),
        used: z.int().nullable().describe('Null: not counted'),
        per: z.enum(['owner', 'token', 'submission']).describe('Over what it is counted'),
        meaning: z.string(),
      }),
    ),
  })
  .meta({
    examples: [
      {
        token_id: '4k2m9x0b',
        kind: 'client',
        owner: 'ann',
        quotas: [
          {
            name: 'open_jobs',
            bound: 100,
            used: 3,
            per: 'owner',
            meaning: quotaTable.open_jobs.meaning,
          },
        ],
      },
    ],
  });
