// `muster events`: prints every event when it happens, a line each.

import { type Command, Option } from 'commander';
import type { EventType } from '../../client/index.ts';
import { type ClientFlags, type Context, openClient } from '../context.ts';
import { eventLine } from '../text/event-line.ts';
import { exitCodes } from '../exit-codes.ts';
import { interruption } from '../process/interruption.ts';
import { JOB_HANDLE, withJob } from '../handles.ts';
import { wholeNumber } from '../settings/flag-values.ts';
import { settingOption } from '../settings/settings.ts';

const COUNT_MOST = 1_000_000_000;

interface Flags extends ClientFlags {
  readonly job?: string;
  readonly types?: string;
  readonly count?: number;
}

export function declareEvents(program: Command, context: Context): void {
  program
    .command('events')
    .description('watch what happens; single tasks only with --job or --types')
    .option('--job <job>', `only what concerns this job, its tasks included: ${JOB_HANDLE}`)
    .option('--types <list>', 'only these, like task_completed,worker_lost')
    .addOption(
      new Option('--count <number>', 'end after so many').argParser(
        wholeNumber('a number of events', 1, COUNT_MOST),
      ),
    )
    .addOption(settingOption('url'))
    .option('--json', 'print the events as the coordinator sends them, one JSON object a line')
    .action((flags: Flags) => watch(flags, context));
}

async function watch(flags: Flags, context: Context): Promise<void> {
  const { terminal } = context;
  const client = await openClient(flags);
  const job =
    flags.job === undefined
      ? undefined
      : await withJob(client, flags.job, (id) => client.jobHead(id));
  const signal = interruption();
  // Not checked here: the coordinator names the known types when it refuses one.
  const types = flags.types?.split(',').map((type) => type.trim() as EventType);
  const events = client.events({
    signal,
    ...(job === undefined ? {} : { jobId: job.id }),
    ...(types === undefined ? {} : { types }),
  });
  if (terminal.isInteractive) terminal.note(terminal.noteColors.dim('Ctrl-C ends it'));
  let count = 0;
  try {
    for await (const event of events) {
      await (flags.json
        ? terminal.data(`${JSON.stringify(event)}\n`)
        : terminal.write(`${eventLine(event, terminal.colors)}\n`));
      count++;
      if (count === flags.count) return;
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  context.exit(signal.aborted ? exitCodes.interrupted.code : exitCodes.ok.code);
}
