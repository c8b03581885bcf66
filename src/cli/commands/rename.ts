// `muster rename WORKER NAME`: what a worker is called, whatever it says of itself.

import type { Command } from 'commander';
import { type ClientFlags, type Context, openClient } from '../context.ts';
import { WORKER_HANDLE, withWorker } from '../handles.ts';
import { named } from '../settings/flag-values.ts';
import { settingOption } from '../settings/settings.ts';

export function declareRename(program: Command, { terminal }: Context): void {
  program
    .command('rename')
    .description('name a worker, whatever it says of itself; it keeps the name for good')
    .argument('<worker>', WORKER_HANDLE)
    .argument('<name>', 'its new name', named('a name'))
    .addOption(settingOption('url'))
    .addOption(settingOption('pin'))
    .option('--json', 'print the worker as the coordinator answers it')
    .action(async (handle: string, name: string, flags: ClientFlags) => {
      const client = await openClient(flags);
      const worker = await withWorker(client, handle, (id) => client.rename(id, name));
      if (flags.json) return terminal.json(worker);
      terminal.note(`${worker.id} is called ${worker.name ?? ''} from now on`);
    });
}
