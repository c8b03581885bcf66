// `muster cancel ID`: running tasks are stopped, waiting ones never start; results so far stay.

import type { Command } from 'commander';
import { type ClientFlags, type Context, openClient } from '../context.ts';
import { withNearestJob } from '../nearest-id.ts';
import { settingOption } from '../settings/settings.ts';

export function declareCancel(program: Command, context: Context): void {
  program
    .command('cancel')
    .description('cancel a job; the results it has so far stay')
    .argument('<id>', 'of the job')
    .addOption(settingOption('url'))
    .option('--json', 'print the job as the coordinator answers it')
    .action(async (id: string, flags: ClientFlags) => {
      const client = await openClient(flags);
      const job = await withNearestJob(client, id, () => client.cancel(id));
      if (flags.json) context.terminal.json(job);
      else context.terminal.note(`${job.id} is cancelled`);
    });
}
