// `muster release JOB`: a job that was held goes on.

import type { Command } from 'commander';
import { type ClientFlags, type Context, openClient } from '../context.ts';
import { JOB_HANDLE, namedText, withJob } from '../handles.ts';
import { settingOption } from '../settings/settings.ts';

export function declareRelease(program: Command, context: Context): void {
  program
    .command('release')
    .description('let a held job go on')
    .argument('<job>', JOB_HANDLE)
    .addOption(settingOption('url'))
    .addOption(settingOption('pin'))
    .option('--json', 'print the job as the coordinator answers it')
    .action(async (handle: string, flags: ClientFlags) => {
      const client = await openClient(flags);
      const job = await withJob(client, handle, (id) => client.release(id));
      if (flags.json) context.terminal.json(job);
      else context.terminal.note(`${namedText(job)} goes on`);
    });
}
