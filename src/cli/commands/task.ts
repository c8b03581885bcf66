// `muster task JOB INDEX`: shows one task with the places of its error, or what it printed.

import type { Command } from 'commander';
import { CommandFailure } from '../command-failure.ts';
import { type ClientFlags, type Context, openClient } from '../context.ts';
import { withJob } from '../handles.ts';
import { wholeNumber } from '../settings/flag-values.ts';
import { settingOption } from '../settings/settings.ts';
import { framesOf } from '../stack-frames.ts';
import { namesOf } from '../text/ranking.ts';
import { taskText } from '../text/task-text.ts';
import { placeOf } from './explain.ts';

const ATTEMPT_MOST = 1_000_000_000;

interface Flags extends ClientFlags {
  readonly output?: boolean;
  readonly attempt?: number;
}

export function declareTask(program: Command, context: Context): void {
  program
    .command('task')
    .description(
      'show one task: its attempts, its error with the places in your files, checkpoints',
    )
    .argument('<task>', 'its id (JOB.INDEX), or its job: an id, a part of it, a name, or last')
    .argument('[index]', 'of the task, when the job is given')
    .option('--output', 'print what it printed instead')
    .option(
      '--attempt <number>',
      'with --output: of this attempt, not of the newest that is kept',
      wholeNumber('the number of an attempt', 1, ATTEMPT_MOST),
    )
    .addOption(settingOption('url'))
    .option('--json', 'print the task as the coordinator answers it')
    .action((task: string, index: string | undefined, flags: Flags) =>
      showTask(task, index, flags, context),
    );
}

async function showTask(
  task: string,
  given: string | undefined,
  flags: Flags,
  { terminal }: Context,
): Promise<void> {
  const { job, index } = placeOf(task, given);
  const client = await openClient(flags);
  if (flags.output === true) {
    const { attempt } = flags;
    const which = attempt === undefined ? {} : { attempt };
    const text = await withJob(client, job, (id) => client.output(id, index, which));
    if (text === null) throw nothingKept(job, attempt);
    return terminal.data(text.endsWith('\n') ? text : `${text}\n`);
  }
  const detail = await withJob(client, job, (id) => client.task(id, index));
  if (flags.json) return terminal.json(detail);
  const [workers, frames] = await Promise.all([client.workers(), framesOf(client, detail)]);
  await terminal.write(
    `${taskText(detail, { names: namesOf(workers), frames, nowMs: Date.now() }, terminal)}\n`,
  );
}

function nothingKept(jobId: string, attempt: number | undefined): CommandFailure {
  const what = attempt === undefined ? 'the task' : `attempt ${attempt} of the task`;
  return new CommandFailure('refused', `Nothing that ${what} printed is kept.`, [
    'It printed nothing, has not ended, or did not fail: a job keeps what tasks print when they fail,',
    `or always with  muster submit … --keep-output always  (this job: ${jobId})`,
  ]);
}
