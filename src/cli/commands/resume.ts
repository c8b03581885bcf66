// `muster resume WORKER`: a worker that was drained gets tasks again.

import type { Command } from 'commander';
import type { WorkerDetail } from '../../client/index.ts';
import { type ClientFlags, type Context, openClient } from '../context.ts';
import { namedText, WORKER_HANDLE, withWorker } from '../handles.ts';
import { settingOption } from '../settings/settings.ts';

export function declareResume(program: Command, context: Context): void {
  program
    .command('resume')
    .description('give a drained worker tasks again')
    .argument('<worker>', WORKER_HANDLE)
    .addOption(settingOption('url'))
    .option('--json', 'print the worker as the coordinator answers it')
    .action(async (handle: string, flags: ClientFlags) => {
      const client = await openClient(flags);
      const { before, worker } = await withWorker(client, handle, async (id) => ({
        before: await client.worker(id),
        worker: await client.resume(id),
      }));
      if (flags.json) context.terminal.json(worker);
      else context.terminal.note(`${namedText(worker)} ${outcomeOf(before)}`);
    });
}

function outcomeOf({ draining, quarantined_until: until, leaving }: WorkerDetail): string {
  if (draining === null && until === null) return 'was not drained: nothing has changed';
  return leaving ? 'is not drained any more, but it is leaving' : 'takes tasks again';
}
