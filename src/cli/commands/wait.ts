// `muster wait JOB`: stays until the job has ended. Prints nothing of its results.

import { setTimeout as pause } from 'node:timers/promises';
import type { Command } from 'commander';
import { ConnectionError, type JobHead, type MusterClient } from '../../client/index.ts';
import { type ClientFlags, type Context, openClient } from '../context.ts';
import { type FollowEnd, isHeld, tellEnd, tellInterruption } from '../follow.ts';
import { JOB_HANDLE, withJob } from '../handles.ts';
import { interruption } from '../process/interruption.ts';
import { runThenOf, type ThenFlags, thenFlag } from '../process/run-then.ts';
import { settingOption } from '../settings/settings.ts';
import { ProgressLine } from '../text/progress-line.ts';
import type { Terminal } from '../text/terminal.ts';

const lookMs = 1_000;

type Flags = ClientFlags & ThenFlags;

export function declareWait(program: Command, context: Context): void {
  program
    .command('wait')
    .description('stay until a job has ended; the exit code says how')
    .argument('<job>', JOB_HANDLE)
    .option(...thenFlag)
    .addOption(settingOption('url'))
    .addOption(settingOption('pin'))
    .option('--json', 'print the job as it ended')
    .action((handle: string, flags: Flags) => waitForJob(handle, flags, context));
}

async function waitForJob(handle: string, flags: Flags, context: Context): Promise<void> {
  const { terminal } = context;
  const client = await openClient(flags);
  const job = await withJob(client, handle, (id) => client.jobHead(id));
  const end = await watch(client, job, terminal, interruption());
  if (end.type === 'final' && flags.json) terminal.json(end.job);
  await runThenOf(flags, end, context);
  context.exit(tellEnd(end, job.id, terminal));
}

/** A coordinator that does not answer may be restarting. */
async function watch(
  client: MusterClient,
  first: JobHead,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<FollowEnd> {
  const line = new ProgressLine(terminal, first.task_count);
  let isAway = false;
  try {
    let job = first;
    while (job.completed_at === null) {
      line.count(job.counts.completed, job.counts.failed);
      line.reach(job.progress, isHeld(job));
      for (let newer: JobHead | undefined; newer === undefined; ) {
        await pause(lookMs, undefined, { signal });
        newer = await look(client, job.id, signal);
        if (newer === undefined && !isAway) tellInterruption(line, terminal);
        isAway = newer === undefined;
        if (newer !== undefined) job = newer;
      }
    }
    return { type: 'final', job };
  } catch (error) {
    if (!signal.aborted) throw error;
    return { type: 'interrupted' };
  } finally {
    line.clear();
  }
}

/** Undefined when nobody answers. */
async function look(
  client: MusterClient,
  id: string,
  signal: AbortSignal,
): Promise<JobHead | undefined> {
  try {
    return await client.jobHead(id, { signal });
  } catch (error) {
    if (error instanceof ConnectionError) return undefined;
    throw error;
  }
}
