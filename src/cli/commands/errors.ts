// `muster errors JOB`: tells what went wrong in a job, by kinds of error.

import { type Command, Option } from 'commander';
import { type ClientFlags, type Context, openClient } from '../context.ts';
import { JOB_HANDLE, withJob } from '../handles.ts';
import { wholeNumber } from '../settings/flag-values.ts';
import { settingOption } from '../settings/settings.ts';
import { jobErrorsText } from '../text/job-errors.ts';

const MOST = 100;

interface Flags extends ClientFlags {
  readonly limit?: number;
}

export function declareErrors(program: Command, context: Context): void {
  program
    .command('errors')
    .description('tell what went wrong in a job, by kinds of error')
    .argument('<job>', JOB_HANDLE)
    .addOption(
      new Option('--limit <number>', 'at most so many kinds (20 without it)').argParser(
        wholeNumber('a number of kinds', 1, MOST),
      ),
    )
    .addOption(settingOption('url'))
    .addOption(settingOption('pin'))
    .option('--json', 'print the errors as the coordinator answers them')
    .action((handle: string, flags: Flags) => tellErrors(handle, flags, context));
}

async function tellErrors(handle: string, flags: Flags, { terminal }: Context): Promise<void> {
  const client = await openClient(flags);
  const { limit } = flags;
  const asked = limit === undefined ? {} : { limit };
  const errors = await withJob(client, handle, (id) => client.errors(id, asked));
  if (flags.json) return terminal.json(errors);
  if (errors.kinds.length === 0) return terminal.note('no attempt has failed');
  await terminal.write(`${jobErrorsText(errors, terminal)}\n`);
  const { dim } = terminal.noteColors;
  const [index] = errors.kinds[0]!.examples;
  terminal.note(dim(`see where it failed:  muster task ${errors.job_id} ${index}`));
}
