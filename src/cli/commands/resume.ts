// `muster resume ID`: a worker that was drained gets tasks again.

import type { Command } from 'commander';
import { type ClientFlags, type Context, openClient } from '../context.ts';
import { withNearestWorker } from '../nearest-id.ts';
import { settingOption } from '../settings/settings.ts';

export function declareResume(program: Command, context: Context): void {
  program
    .command('resume')
    .description('give a drained worker tasks again')
    .argument('<id>', 'of the worker')
    .addOption(settingOption('url'))
    .option('--json', 'print the worker as the coordinator answers it')
    .action(async (id: string, flags: ClientFlags) => {
      const client = await openClient(flags);
      const worker = await withNearestWorker(client, id, () => client.resume(id));
      if (flags.json) context.terminal.json(worker);
      else context.terminal.note(`${worker.id} takes tasks again`);
    });
}
