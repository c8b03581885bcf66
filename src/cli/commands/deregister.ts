// `muster deregister WORKER`: removes a worker; its tasks go to other workers at once.

import type { Command } from 'commander';
import { type ClientFlags, type Context, openClient } from '../context.ts';
import { WORKER_HANDLE, withWorker } from '../handles.ts';
import { settingOption } from '../settings/settings.ts';
import { counted } from '../text/wording.ts';

export function declareDeregister(program: Command, context: Context): void {
  program
    .command('deregister')
    .description('remove a worker at once; its tasks go to others, and it stays away')
    .argument('<worker>', WORKER_HANDLE)
    .addOption(settingOption('url'))
    .addOption(settingOption('pin'))
    .option('--json', 'print what the coordinator answers')
    .action(async (handle: string, flags: ClientFlags) => {
      const client = await openClient(flags);
      const answer = await withWorker(client, handle, (id) => client.deregister(id));
      if (flags.json) return context.terminal.json(answer);
      const { requeued_tasks: requeued } = answer;
      const rest =
        requeued === 0
          ? 'it had no tasks'
          : `${counted(requeued, 'task')} ${requeued === 1 ? 'waits' : 'wait'} again`;
      context.terminal.note(`${answer.worker_id} is removed; ${rest}`);
    });
}
