// What bounds whoever asks, and how much of it is used.

import type { QuotaUse } from '../../coordinator/port/quota.ts';
import { type QuotaName, quotaNames, quotaTable } from '../../protocol/quotas.ts';
import { quotaUseSchema } from '../../protocol/schemas/quotas.ts';
import { portsOf, principalOf } from '../access/access.ts';
import { answers } from '../answers.ts';
import type { App } from '../app.ts';
import type { RouteContext } from './route-context.ts';

export function addQuotaRoute(app: App, { coordinator, access }: RouteContext): void {
  app.get(
    '/api/quota',
    {
      config: { access: 'viewer' },
      schema: {
        tags: ['access'],
        operationId: 'getQuota',
        summary: 'The quotas of the token that asks, and what is used of each',
        description:
          'Those that are for its kind. What is counted over an owner is used by all of its tokens.',
        response: answers(quotaUseSchema),
      },
    },
    async (request) => {
      const { tokenId, role: kind, owner, quota = {} } = principalOf(request);
      const use = await portsOf(coordinator, request).quota.use();
      const names = quotaNames.filter((name) => Object.hasOwn(quotaTable[name].kinds, kind));
      const used = (name: QuotaName): number | null => {
        if (Object.hasOwn(use, name)) return use[name as keyof QuotaUse];
        if (tokenId === null || (name !== 'streams' && name !== 'sockets')) return null;
        // What is not bounded is not counted.
        return quota[name] === undefined ? null : access.quotas.countOpen(name, tokenId);
      };
      return {
        token_id: tokenId,
        kind,
        owner,
        quotas: names.map((name) => ({
          name,
          bound: quota[name] ?? null,
          used: used(name),
          per: quotaTable[name].per,
          meaning: quotaTable[name].meaning,
        })),
      };
    },
  );
}
