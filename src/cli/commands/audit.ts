// `muster audit`: what was done, and by whom.

import { type Command, Option } from 'commander';
import type { AuditEntry, AuditFilter } from '../../client/index.ts';
import { type AuditAction, auditActions, auditOutcomes } from '../../protocol/audit.ts';
import { type ClientFlags, type Context, openClient } from '../context.ts';
import { oneOf, wholeNumber } from '../settings/flag-values.ts';
import { pastMoment } from '../settings/moment.ts';
import { settingOption } from '../settings/settings.ts';
import { auditTable } from '../text/audit-text.ts';

const USUAL = 50;
const MOST = 1_000_000;
const PAGE = 1_000;

interface Flags extends ClientFlags {
  readonly tokenId?: string;
  readonly owner?: string;
  readonly action?: AuditAction;
  readonly outcome?: AuditEntry['outcome'];
  readonly from?: string;
  readonly since?: number;
  readonly until?: number;
  readonly last: number;
}

export function declareAudit(program: Command, context: Context): void {
  const names = Object.keys(auditActions) as AuditAction[];
  program
    .command('audit')
    .description('what was done, by whom, from where, and what came of it; newest first')
    .option('--token-id <id>', 'only what was asked with this token')
    .option('--owner <name>', 'only what was asked for this owner')
    .addOption(
      new Option('--action <action>', 'only this, like job.submit or token.revoke').argParser(
        oneOf('an action', names),
      ),
    )
    .addOption(
      new Option('--outcome <outcome>', `only what was ${auditOutcomes.join(', ')}`).argParser(
        oneOf('an outcome', auditOutcomes),
      ),
    )
    .option('--from <address>', 'only what was asked from there')
    .option('--since <time>', 'only from then on: like 2h, 7d or 2026-01-31', (text) =>
      pastMoment(text),
    )
    .option('--until <time>', 'only before then', (text) => pastMoment(text))
    .addOption(
      new Option('--last <number>', 'so many at the most')
        .default(USUAL)
        .argParser(wholeNumber('a number of entries', 1, MOST)),
    )
    .addOption(settingOption('url'))
    .addOption(settingOption('pin'))
    .option('--json', 'print an array')
    .action((flags: Flags) => showAudit(flags, context));
}

async function showAudit(flags: Flags, { terminal }: Context): Promise<void> {
  const client = await openClient(flags);
  const entries: AuditEntry[] = [];
  for (let limit = flags.last; limit > 0; limit = flags.last - entries.length) {
    const before = entries.at(-1)?.id;
    const asked = Math.min(limit, PAGE);
    const page = await client.audit({
      ...filterOf(flags),
      limit: asked,
      ...(before === undefined ? {} : { before }),
    });
    entries.push(...page);
    if (page.length < asked) break;
  }
  if (flags.json) return terminal.json(entries);
  if (entries.length === 0) return terminal.note('nothing like that is in the audit log');
  await terminal.write(`${auditTable(entries, terminal)}\n`);
}

function filterOf({ tokenId, owner, action, outcome, from, since, until }: Flags): AuditFilter {
  return {
    ...(tokenId === undefined ? {} : { token: tokenId }),
    ...(owner === undefined ? {} : { owner }),
    ...(action === undefined ? {} : { action }),
    ...(outcome === undefined ? {} : { outcome }),
    ...(from === undefined ? {} : { address: from }),
    ...(since === undefined ? {} : { since: new Date(since).toISOString() }),
    ...(until === undefined ? {} : { until: new Date(until).toISOString() }),
  };
}
