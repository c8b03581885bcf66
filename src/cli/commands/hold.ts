// `muster hold JOB`: nothing new of the job starts; what runs goes on.

import type { Command } from 'commander';
import { type ClientFlags, type Context, openClient } from '../context.ts';
import { JOB_HANDLE, namedText, withJob } from '../handles.ts';
import { settingOption } from '../settings/settings.ts';

export function declareHold(program: Command, context: Context): void {
  program
    .command('hold')
    .description('start nothing more of a job; what runs goes on')
    .argument('<job>', JOB_HANDLE)
    .addOption(settingOption('url'))
    .addOption(settingOption('pin'))
    .option('--json', 'print the job as the coordinator answers it')
    .action(async (handle: string, flags: ClientFlags) => {
      const client = await openClient(flags);
      const job = await withJob(client, handle, (id) => client.hold(id));
      if (flags.json) context.terminal.json(job);
      else
        context.terminal.note(
          `${namedText(job)} is held: nothing more of it starts before \`muster release ${job.id}\``,
        );
    });
}
