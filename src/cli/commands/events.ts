// `muster events`: what happens, as it happens, a line each.

import { type Command, Option } from 'commander';
import type { EventType } from '../../client/index.ts';
import { type ClientFlags, type Context, openClient } from '../context.ts';
import { eventLine } from '../text/event-line.ts';
import { exitCodes } from '../exit-codes.ts';
import { interruption } from '../process/interruption.ts';
import { withNearestJob } from '../nearest-id.ts';
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
    .option('--job <id>', 'only what concerns this job, its tasks included')
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
  const { job } = flags;
  const client = await openClient(flags);
  if (job !== undefined) await withNearestJob(client, job, () => client.jobHead(job));
  const signal = interruption();
  // The coordinator knows which there are, and says so.
  const types = flags.types?.split(',').map((type) => type.trim() as EventType);
  const events = client.events({
    signal,
    ...(job === undefined ? {} : { jobId: job }),
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
