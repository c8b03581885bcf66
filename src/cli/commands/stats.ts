// `muster stats`: shows the counters of the coordinator.

import type { Command } from 'commander';
import { type ClientFlags, type Context, openClient } from '../context.ts';
import { settingOption } from '../settings/settings.ts';
import { renderFacts } from '../text/table.ts';
import { duration, grouped } from '../text/wording.ts';

export function declareStats(program: Command, context: Context): void {
  program
    .command('stats')
    .description('show the counters: workers, jobs, tasks')
    .addOption(settingOption('url'))
    .addOption(settingOption('pin'))
    .option('--json', 'print what the coordinator answers')
    .action((flags: ClientFlags) => showStats(flags, context));
}

async function showStats(flags: ClientFlags, { terminal }: Context): Promise<void> {
  const client = await openClient(flags);
  const stats = await client.stats();
  if (flags.json) return terminal.json(stats);
  const { total_workers: workers, total_jobs: jobs } = stats;
  const facts = renderFacts([
    ['workers', `${grouped(stats.online_workers)} online of ${grouped(workers)}`],
    ['jobs', `${grouped(jobs)}: ${jobCounts(stats)}`],
    ['tasks completed', grouped(stats.total_tasks_completed)],
    ['up for', duration(stats.uptime_seconds * 1_000)],
  ]);
  await terminal.write(`${facts}\n`);
}

function jobCounts(stats: {
  readonly running_jobs: number;
  readonly completed_jobs: number;
  readonly failed_jobs: number;
}): string {
  return [
    `${grouped(stats.running_jobs)} running`,
    `${grouped(stats.completed_jobs)} completed`,
    `${grouped(stats.failed_jobs)} failed`,
  ].join(', ');
}
