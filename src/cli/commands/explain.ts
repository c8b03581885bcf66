// `muster explain TASK`: tells the story of one task, what it waits for, and why it got its worker.

import type { Command } from 'commander';
import { CommandFailure } from '../command-failure.ts';
import { type ClientFlags, type Context, openClient } from '../context.ts';
import { exactTask } from '../exact-inputs.ts';
import { framesOf } from '../stack-frames.ts';
import { explanationText } from '../text/explanation-text.ts';
import { withJob } from '../handles.ts';
import { namesOf } from '../text/ranking.ts';
import { wholeNumber } from '../settings/flag-values.ts';
import { settingOption } from '../settings/settings.ts';
import { workerAdvice } from '../worker-hint.ts';

const ATTEMPT_MOST = 1_000_000_000;

interface Flags extends ClientFlags {
  readonly attempt?: number;
}

export function declareExplain(program: Command, context: Context): void {
  program
    .command('explain')
    .description('tell why a task is where it is: what it waits for, or who gave it there and why')
    .argument('<task>', 'its id (JOB.INDEX), or its job: an id, a part of it, a name, or last')
    .argument('[index]', 'of the task, when the job is given')
    .addOption(settingOption('url'))
    .addOption(settingOption('pin'))
    .option(
      '--attempt <number>',
      'tell the decision that placed this attempt, not the newest',
      wholeNumber('the number of an attempt', 1, ATTEMPT_MOST),
    )
    .option('--json', 'print the explanation as the coordinator answers it')
    .action((task: string, index: string | undefined, flags: Flags) =>
      explainTask(task, index, flags, context),
    );
}

async function explainTask(
  task: string,
  index: string | undefined,
  flags: Flags,
  { terminal }: Context,
): Promise<void> {
  const place = placeOf('explain', task, index);
  const { attempt } = flags;
  const client = await openClient(flags);
  const explanation = await withJob(client, place.job, (id) =>
    client.explain(id, place.index, attempt === undefined ? {} : { attempt }),
  );
  if (flags.json) return terminal.json(explanation);
  const [answer, workers] = await Promise.all([
    client.exactTask(explanation.job_id, place.index),
    client.workers(),
  ]);
  const detail = exactTask(answer);
  const frames = await framesOf(client, detail);
  const around = {
    task: detail,
    names: namesOf(workers),
    advice: await workerAdvice(flags),
    frames,
    nowMs: Date.now(),
  };
  await terminal.write(`${explanationText(explanation, around, terminal)}\n`);
}

/** Reads `JOB.7`, or `JOB` and `7`. */
export function placeOf(command: string, task: string, index: string | undefined) {
  const dot = task.lastIndexOf('.');
  const [job, text] =
    index !== undefined ? [task, index] : [task.slice(0, dot), task.slice(dot + 1)];
  if (/^\d{1,15}$/.test(text) && (index !== undefined || dot > 0)) {
    return { job, index: Number(text) };
  }
  const named = /^[\w-]+$/.test(task) ? task : 'JOB';
  throw new CommandFailure('usage', `"${index ?? task}" names no task.`, [
    `A task is JOB.INDEX as in lists, or JOB and INDEX:  muster ${command} ${named}.7`,
  ]);
}
