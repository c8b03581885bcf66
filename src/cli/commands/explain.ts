// `muster explain TASK`: the life of one task in words, and what it waits for.

import type { Command } from 'commander';
import type { MusterClient, TaskDetail } from '../../client/index.ts';
import { CommandFailure } from '../command-failure.ts';
import { type ClientFlags, type Context, openClient } from '../context.ts';
import { withNearestJob } from '../nearest-id.ts';
import { settingOption } from '../settings.ts';
import { type Surroundings, taskStory } from '../task-story.ts';

export function declareExplain(program: Command, context: Context): void {
  program
    .command('explain')
    .description('tell the life of one task: attempts, workers, errors, what it waits for')
    .argument('<task>', 'its id (JOB.INDEX), or the id of its job')
    .argument('[index]', 'of the task, when the job is given')
    .addOption(settingOption('url'))
    .option('--json', 'print the task as the coordinator answers it')
    .action((task: string, index: string | undefined, flags: ClientFlags) =>
      explainTask(task, index, flags, context),
    );
}

async function explainTask(
  task: string,
  index: string | undefined,
  flags: ClientFlags,
  { terminal }: Context,
): Promise<void> {
  const place = placeOf(task, index);
  const client = await openClient(flags);
  const detail = await withNearestJob(client, place.jobId, () =>
    client.task(place.jobId, place.index),
  );
  if (flags.json) return terminal.print(JSON.stringify(detail));
  const story = taskStory(detail, await surroundingsOf(client, detail), terminal.colors);
  await terminal.write(`${story.join('\n')}\n`);
}

/** `JOB.7`, or `JOB` and `7` */
function placeOf(task: string, index: string | undefined) {
  const dot = task.lastIndexOf('.');
  const [jobId, text] =
    index !== undefined ? [task, index] : [task.slice(0, dot), task.slice(dot + 1)];
  if (/^\d{1,15}$/.test(text) && (index !== undefined || dot > 0)) {
    return { jobId, index: Number(text) };
  }
  throw new CommandFailure('usage', `"${index ?? task}" names no task.`, [
    'A task is JOB.INDEX as in lists, or JOB and INDEX:  muster explain JOB 7',
  ]);
}

async function surroundingsOf(client: MusterClient, task: TaskDetail): Promise<Surroundings> {
  const [job, workers] = await Promise.all([client.jobHead(task.job_id), client.workers()]);
  return { job, workers, nowMs: Date.now(), url: client.url };
}
