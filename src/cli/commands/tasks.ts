// `muster tasks JOB`: lists the tasks of a job, all or those of one status.

import { type Command, Option } from 'commander';
import type { TaskListing, TaskStatus } from '../../client/index.ts';
import { CommandFailure } from '../command-failure.ts';
import { type ClientFlags, type Context, openClient } from '../context.ts';
import { JOB_HANDLE, withJob } from '../handles.ts';
import { oneOf, wholeNumber } from '../settings/flag-values.ts';
import { settingOption } from '../settings/settings.ts';
import { tasksOf } from '../task-pages.ts';
import { namesOf } from '../text/ranking.ts';
import { taskListText } from '../text/task-list.ts';

const STATUSES = ['pending', 'assigned', 'running', 'completed', 'failed', 'cancelled'];
const MOST = 20_000_000;
const SHOWN = 100;

interface Flags extends ClientFlags {
  readonly status?: TaskStatus;
  readonly failed?: boolean;
  readonly after?: number;
  readonly limit: number;
}

export function declareTasks(program: Command, context: Context): void {
  program
    .command('tasks')
    .description('list the tasks of a job')
    .argument('<job>', JOB_HANDLE)
    .addOption(
      new Option('--status <status>', `only tasks that are ${STATUSES.join(', ')}`).argParser(
        oneOf('a status', STATUSES),
      ),
    )
    .option('--failed', 'only those that have failed, with their errors')
    .addOption(
      new Option('--after <index>', 'only those behind this one').argParser(
        wholeNumber('the index of a task', 0, MOST),
      ),
    )
    .addOption(
      new Option('--limit <number>', 'at most so many')
        .argParser(wholeNumber('a number of tasks', 1, MOST))
        .default(SHOWN),
    )
    .addOption(settingOption('url'))
    .addOption(settingOption('pin'))
    .option('--json', 'print an array of tasks as the coordinator answers them')
    .action((handle: string, flags: Flags) => listTasks(handle, flags, context));
}

async function listTasks(handle: string, flags: Flags, { terminal }: Context): Promise<void> {
  const status = statusOf(flags);
  const client = await openClient(flags);
  const { after, limit } = flags;
  const [id, tasks] = await withJob(client, handle, async (jobId) => {
    // One more tells whether there are more.
    const wanted = tasksOf(client, jobId, { status, after, limit: limit + 1 });
    return [jobId, await Array.fromAsync(wanted)] as const;
  });
  const shown: readonly TaskListing[] = tasks.slice(0, limit);
  if (flags.json) return terminal.json(shown);
  if (shown.length === 0) return terminal.note(noneText(status, after));
  const names = namesOf(await client.workers());
  await terminal.write(`${taskListText(shown, names, terminal)}\n`);
  if (tasks.length <= limit) return;
  const { dim } = terminal.noteColors;
  const only = status === undefined ? '' : ` --status ${status}`;
  terminal.note(
    dim(
      `there are more:  muster tasks ${id}${only} --after ${shown.at(-1)!.index} --limit ${limit}`,
    ),
  );
}

function statusOf({ status, failed }: Flags): TaskStatus | undefined {
  if (failed !== true) return status;
  if (status === undefined || status === 'failed') return 'failed';
  throw new CommandFailure('usage', `--failed and --status ${status} exclude each other.`);
}

function noneText(status: TaskStatus | undefined, after: number | undefined): string {
  const what = status === undefined ? 'no tasks' : `no ${status} tasks`;
  return after === undefined ? what : `${what} behind ${after}`;
}
