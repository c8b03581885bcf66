// `muster cluster`: which coordinators share a database, and which of them leads.

import type { Command } from 'commander';
import type { ClusterMember, ClusterResource } from '../../client/index.ts';
import { withoutPin } from '../../protocol/cluster.ts';
import { type ClientFlags, type Context, openClient } from '../context.ts';
import { settingOption } from '../settings/settings.ts';
import { renderTable } from '../text/table.ts';
import { ago, counted } from '../text/wording.ts';
import { clockFor } from '../text/times.ts';

export function declareCluster(program: Command, context: Context): void {
  program
    .command('cluster')
    .description('list the coordinators that share a database, and which of them leads')
    .addOption(settingOption('url'))
    .addOption(settingOption('pin'))
    .option('--json', 'print what the coordinator answers')
    .action((flags: ClientFlags) => showCluster(flags, context));
}

async function showCluster(flags: ClientFlags, { terminal }: Context): Promise<void> {
  const client = await openClient(flags);
  const cluster = await client.cluster();
  if (flags.json) return terminal.json(cluster);
  const { members } = cluster;
  await terminal.write(`${memberTable(members)}\n`);
  for (const line of remarks(cluster)) terminal.note(line);
}

function memberTable(members: readonly ClusterMember[]): string {
  // By the clock of the database: whoever answers was seen within the last second.
  const now = Math.max(...members.map(({ seen_at }) => Date.parse(seen_at)));
  return renderTable<ClusterMember>(
    [
      { title: 'coordinator', cell: ({ url }) => withoutPin(url) },
      { title: 'role', cell: roleOf },
      // Those of one that is gone are elsewhere by now.
      {
        title: 'workers',
        cell: ({ is_alive, workers }) => (is_alive ? String(workers) : '-'),
        align: 'right',
      },
      { title: 'version', cell: ({ version }) => version },
      { title: 'seen', cell: ({ seen_at }) => ago(seen_at, now) },
    ],
    members,
  );
}

function roleOf({ is_leader, is_alive, may_lead }: ClusterMember): string {
  if (!is_alive) return is_leader ? 'led, not heard of' : 'not heard of';
  if (is_leader) return 'leads';
  return may_lead ? 'follows' : 'follows, never leads';
}

function remarks(cluster: ClusterResource): readonly string[] {
  const { asked, members } = cluster;
  const one = members.find(({ id }) => id === asked);
  // A balancer may lead to any of them.
  const where = one === undefined ? [] : [`asked at ${withoutPin(one.url)}`];
  return [...standing(cluster), ...(members.length > 1 ? where : [])];
}

function standing({ leader, term, members }: ClusterResource): readonly string[] {
  if (leader === null) {
    return ['nobody leads at the moment: what is asked waits, or is refused with 503'];
  }
  const others = members.filter((each) => each.is_alive && each.may_lead && !each.is_leader);
  const standby =
    others.length === 0
      ? 'nobody could take over: start another coordinator with --advertise'
      : `${counted(others.length, 'coordinator')} could take over`;
  const since = clockFor([term.since], Date.now()).short(term.since);
  return [`epoch ${term.epoch}, since ${since}; ${standby}`];
}
