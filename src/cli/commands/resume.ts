// `muster resume WORKER`: a worker that was drained gets tasks again.

import type { Command } from 'commander';
import { type ClientFlags, type Context, openClient } from '../context.ts';
import { namedText, WORKER_HANDLE, withWorker } from '../handles.ts';
import { settingOption } from '../settings/settings.ts';

export function declareResume(program: Command, context: Context): void {
  program
    .command('resume')
    .description('give a drained worker tasks again')
    .argument('<worker>', WORKER_HANDLE)
    .addOption(settingOption('url'))
    .addOption(settingOption('pin'))
    .option('--json', 'print the worker as the coordinator answers it')
    .action(async (handle: string, flags: ClientFlags) => {
      const client = await openClient(flags);
      const worker = await withWorker(client, handle, (id) => client.resume(id));
      if (flags.json) context.terminal.json(worker);
      else context.terminal.note(`${namedText(worker)} takes tasks again`);
    });
}
