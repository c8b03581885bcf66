// `muster hold ID`: nothing new of the job starts; what runs goes on.

import type { Command } from 'commander';
import { type ClientFlags, type Context, openClient } from '../context.ts';
import { withNearestJob } from '../nearest-id.ts';
import { settingOption } from '../settings/settings.ts';

export function declareHold(program: Command, context: Context): void {
  program
    .command('hold')
    .description('start nothing more of a job; what runs goes on')
    .argument('<id>', 'of the job')
    .addOption(settingOption('url'))
    .option('--json', 'print the job as the coordinator answers it')
    .action(async (id: string, flags: ClientFlags) => {
      const client = await openClient(flags);
      const job = await withNearestJob(client, id, () => client.hold(id));
      if (flags.json) context.terminal.json(job);
      else
        context.terminal.note(
          `${job.id} is held: nothing more of it starts before \`muster release ${job.id}\``,
        );
    });
}
