// `muster drain WORKER`: the worker is freed of its tasks and gets no new ones.

import { type Command, Option } from 'commander';
import type { WorkerResource } from '../../client/index.ts';
import { longestDrainSeconds } from '../../protocol/leaving.ts';
import { type ClientFlags, type Context, openClient } from '../context.ts';
import { namedText, WORKER_HANDLE, withWorker } from '../handles.ts';
import { timeSpan } from '../settings/flag-values.ts';
import { settingOption } from '../settings/settings.ts';
import { ahead, counted } from '../text/wording.ts';

/** Not null, which the parser of flags takes for a value that is missing. */
const never = 'none';
const secondsOf = (given: number | typeof never) => (given === never ? null : given);

interface Flags extends ClientFlags {
  readonly deadline?: number | typeof never;
}

export function declareDrain(program: Command, context: Context): void {
  program
    .command('drain')
    .description('free a worker of its tasks, at their next checkpoints, and give it nothing new')
    .argument('<worker>', WORKER_HANDLE)
    .addOption(
      new Option(
        '--deadline <time>',
        'after so long, like 90s, 30m or 2h, what it still runs goes to others as it is; none: never ' +
          '(default: as it is, at first never)',
      ).argParser(deadline),
    )
    .addOption(settingOption('url'))
    .addOption(settingOption('pin'))
    .option('--json', 'print the worker as the coordinator answers it')
    .action(async (handle: string, flags: Flags) => {
      const client = await openClient(flags);
      const options =
        flags.deadline === undefined ? {} : { deadlineSeconds: secondsOf(flags.deadline) };
      const worker = await withWorker(client, handle, (id) => client.drain(id, options));
      if (flags.json) return context.terminal.json(worker);
      context.terminal.note(`${namedText(worker)} is draining: ${outlook(worker)}`);
    });
}

function deadline(text: string): number | typeof never {
  return text.trim() === never ? never : timeSpan(1, longestDrainSeconds)(text);
}

function outlook({ active_tasks: tasks, draining }: WorkerResource): string {
  if (tasks === 0) return 'it has no tasks';
  const until = draining?.deadline ?? null;
  const left = `${counted(tasks, 'task')} to hand over at the next checkpoint, or to finish`;
  return until === null ? left : `${left}; over ${ahead(until, Date.now())}`;
}
