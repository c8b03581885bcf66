// `muster release ID`: a job that was held goes on.

import type { Command } from 'commander';
import { type ClientFlags, type Context, openClient } from '../context.ts';
import { withNearestJob } from '../nearest-id.ts';
import { settingOption } from '../settings/settings.ts';

export function declareRelease(program: Command, context: Context): void {
  program
    .command('release')
    .description('let a held job go on')
    .argument('<id>', 'of the job')
    .addOption(settingOption('url'))
    .option('--json', 'print the job as the coordinator answers it')
    .action(async (id: string, flags: ClientFlags) => {
      const client = await openClient(flags);
      const job = await withNearestJob(client, id, () => client.release(id));
      if (flags.json) context.terminal.json(job);
      else context.terminal.note(`${job.id} goes on`);
    });
}
