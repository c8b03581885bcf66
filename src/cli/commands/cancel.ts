// `muster cancel JOB`: running tasks are stopped, waiting ones never start; results so far stay.

import type { Command } from 'commander';
import { type ClientFlags, type Context, openClient } from '../context.ts';
import { JOB_HANDLE, namedText, withJob } from '../handles.ts';
import { settingOption } from '../settings/settings.ts';

export function declareCancel(program: Command, context: Context): void {
  program
    .command('cancel')
    .description('cancel a job; the results it has so far stay')
    .argument('<job>', JOB_HANDLE)
    .addOption(settingOption('url'))
    .addOption(settingOption('pin'))
    .option('--json', 'print the job as the coordinator answers it')
    .action(async (handle: string, flags: ClientFlags) => {
      const client = await openClient(flags);
      const job = await withJob(client, handle, (id) => client.cancel(id));
      if (flags.json) context.terminal.json(job);
      else context.terminal.note(`${namedText(job)} is cancelled`);
    });
}
