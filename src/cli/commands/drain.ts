// `muster drain WORKER`: the worker finishes the tasks that it has and gets no new ones.

import type { Command } from 'commander';
import { type ClientFlags, type Context, openClient } from '../context.ts';
import { namedText, WORKER_HANDLE, withWorker } from '../handles.ts';
import { settingOption } from '../settings/settings.ts';
import { counted } from '../text/wording.ts';

export function declareDrain(program: Command, context: Context): void {
  program
    .command('drain')
    .description('let a worker finish what it has and give it nothing new')
    .argument('<worker>', WORKER_HANDLE)
    .addOption(settingOption('url'))
    .option('--json', 'print the worker as the coordinator answers it')
    .action(async (handle: string, flags: ClientFlags) => {
      const client = await openClient(flags);
      const worker = await withWorker(client, handle, (id) => client.drain(id));
      if (flags.json) return context.terminal.json(worker);
      const left = counted(worker.active_tasks, 'task');
      context.terminal.note(`${namedText(worker)} is draining: ${left} to finish`);
    });
}
