// `muster delete ID`: removes a job that has ended, and everything that belongs to it.

import type { Command } from 'commander';
import { type ClientFlags, type Context, openClient } from '../context.ts';
import { withNearestJob } from '../nearest-id.ts';
import { settingOption } from '../settings/settings.ts';

export function declareDelete(program: Command, context: Context): void {
  program
    .command('delete')
    .description('remove a job that has ended, with its results, for good')
    .argument('<id>', 'of the job')
    .addOption(settingOption('url'))
    .option('--json', 'print what the coordinator answers')
    .action(async (id: string, flags: ClientFlags) => {
      const client = await openClient(flags);
      const answer = await withNearestJob(client, id, () => client.deleteJob(id));
      if (flags.json) context.terminal.json(answer);
      else context.terminal.note(`${answer.job_id} is removed, with its results`);
    });
}
