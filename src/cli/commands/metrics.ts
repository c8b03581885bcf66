// `muster metrics`: shows how well the work went, and how it was spread over the workers.

import type { Command } from 'commander';
import { type ClientFlags, type Context, openClient } from '../context.ts';
import { metricsText, performanceTable } from '../text/evaluation-text.ts';
import { JOB_HANDLE, withJob } from '../handles.ts';
import { settingOption } from '../settings/settings.ts';

interface Flags extends ClientFlags {
  readonly job?: string;
  readonly since?: string;
  readonly until?: string;
}

export function declareMetrics(program: Command, context: Context): void {
  program
    .command('metrics')
    .description('show how well the work went: times, throughput, fairness, energy, recovery')
    .option('--job <job>', `of this job only: ${JOB_HANDLE}`)
    .option('--since <time>', 'from this time on, like 2026-05-04T09:30:00Z')
    .option('--until <time>', 'before this time')
    .addOption(settingOption('url'))
    .addOption(settingOption('pin'))
    .option('--json', 'print {metrics, worker_performance} as the coordinator answers them')
    .action((flags: Flags) => showMetrics(flags, context));
}

async function showMetrics(flags: Flags, { terminal }: Context): Promise<void> {
  const client = await openClient(flags);
  const { job, since, until } = flags;
  const ask = async (jobId?: string) => {
    const period = {
      ...(jobId === undefined ? {} : { jobId }),
      ...(since === undefined ? {} : { since }),
      ...(until === undefined ? {} : { until }),
    };
    const { evaluation } = client;
    return [await evaluation.metrics(period), await evaluation.workerPerformance(period)] as const;
  };
  const [metrics, workers] = job === undefined ? await ask() : await withJob(client, job, ask);
  if (flags.json) {
    return terminal.json({ metrics, worker_performance: workers });
  }
  await terminal.write(`${metricsText(metrics)}\n`);
  if (workers.length === 0) return;
  const registered = await client.workers();
  const names = new Map(registered.map(({ id, name }) => [id, name]));
  await terminal.write(`\n${performanceTable(workers, names, terminal.colors)}\n`);
}
