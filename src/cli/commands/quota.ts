// `muster quota`: what bounds whoever asks, and how much of it is used.

import type { Command } from 'commander';
import type { QuotaUse } from '../../client/index.ts';
import { type ClientFlags, type Context, openClient } from '../context.ts';
import { settingOption } from '../settings/settings.ts';
import { shownQuota } from '../settings/quota-values.ts';
import { renderTable } from '../text/table.ts';

type Entry = QuotaUse['quotas'][number];

export function declareQuota(program: Command, context: Context): void {
  program
    .command('quota')
    .description('show the quotas of the token that is used, and what is used of each')
    .addOption(settingOption('url'))
    .addOption(settingOption('pin'))
    .option('--json', 'print what the coordinator answers')
    .action((flags: ClientFlags) => showQuota(flags, context));
}

async function showQuota(flags: ClientFlags, { terminal }: Context): Promise<void> {
  const client = await openClient(flags);
  const use = await client.quota();
  if (flags.json) return terminal.json(use);
  const { token_id: id, kind, owner } = use;
  const whose = id === null ? 'nobody needs a token here' : `${kind} token ${id}, owner ${owner}`;
  terminal.note(whose);
  await terminal.write(`${quotaTable(use.quotas)}\n`);
}

function quotaTable(quotas: QuotaUse['quotas']): string {
  const shown = (name: string, value: number | null, none: string) =>
    value === null ? none : shownQuota(name, value);
  return renderTable<Entry>(
    [
      { title: 'quota', cell: ({ name }) => name },
      { title: 'used', cell: ({ name, used }) => shown(name, used, ''), align: 'right' },
      { title: 'of', cell: ({ name, bound }) => shown(name, bound, 'any'), align: 'right' },
      { title: 'counted', cell: ({ per }) => `per ${per}` },
    ],
    quotas,
  );
}
