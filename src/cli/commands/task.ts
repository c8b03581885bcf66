// `muster task JOB INDEX`: shows one task with the places of its error, or what it printed.

import type { Command } from 'commander';
import type { MusterClient, TaskDetail } from '../../client/index.ts';
import { blobReferenceOf } from '../../protocol/blob-reference.ts';
import { payloadText } from '../../protocol/codec.ts';
import { CommandFailure } from '../command-failure.ts';
import { type ClientFlags, type Context, openClient } from '../context.ts';
import { exactTask } from '../exact-inputs.ts';
import { withJob } from '../handles.ts';
import { wholeNumber } from '../settings/flag-values.ts';
import { settingOption } from '../settings/settings.ts';
import { framesOf } from '../stack-frames.ts';
import { namesOf } from '../text/ranking.ts';
import { taskText } from '../text/task-text.ts';
import { placeOf } from './explain.ts';

const ATTEMPT_MOST = 1_000_000_000;

interface Flags extends ClientFlags {
  readonly input?: boolean;
  readonly output?: boolean;
  readonly attempt?: number;
}

export function declareTask(program: Command, context: Context): void {
  program
    .command('task')
    .description(
      'show one task: its input, attempts, its error with the places in your files, checkpoints',
    )
    .argument('<task>', 'its id (JOB.INDEX), or its job: an id, a part of it, a name, or last')
    .argument('[index]', 'of the task, when the job is given')
    .option('--input', 'print its whole input instead, as JSON')
    .option('--output', 'print what it printed instead')
    .option(
      '--attempt <number>',
      'with --output: of this attempt, not of the newest that is kept',
      wholeNumber('the number of an attempt', 1, ATTEMPT_MOST),
    )
    .addOption(settingOption('url'))
    .addOption(settingOption('pin'))
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
  const { job, index } = placeOf('task', task, given);
  if (flags.input === true && flags.output === true) {
    throw new CommandFailure('usage', 'Give --input or --output, not both.');
  }
  const client = await openClient(flags);
  if (flags.output === true) {
    const { attempt } = flags;
    const which = attempt === undefined ? {} : { attempt };
    const text = await withJob(client, job, (id) => client.output(id, index, which));
    if (text === null) {
      throw nothingKept(await withJob(client, job, (id) => client.task(id, index)), attempt);
    }
    return terminal.data(text.endsWith('\n') ? text : `${text}\n`);
  }
  const answer = await withJob(client, job, (id) => client.exactTask(id, index));
  const detail = exactTask(answer);
  if (flags.input === true) return terminal.data(`${await wholeInput(client, detail)}\n`);
  if (flags.json) return terminal.data(`${answer.text}\n`);
  const [workers, frames] = await Promise.all([client.workers(), framesOf(client, detail)]);
  await terminal.write(
    `${taskText(detail, { names: namesOf(workers), frames, nowMs: Date.now() }, terminal)}\n`,
  );
}

/** As JSON; the value that a reference stands for. */
async function wholeInput(
  client: MusterClient,
  { input, input_problem: problem }: TaskDetail,
): Promise<string> {
  if (input === undefined) {
    throw new CommandFailure('refused', problem ?? 'This coordinator does not tell inputs.');
  }
  const text = payloadText(input);
  const sha256 = blobReferenceOf(text);
  if (sha256 === undefined) return text;
  return new TextDecoder().decode(await client.getBlobBytes({ $blob: sha256 }));
}

function nothingKept(
  { status: now, attempts }: TaskDetail,
  attempt: number | undefined,
): CommandFailure {
  const what = attempt === undefined ? 'the task' : `attempt ${attempt} of the task`;
  const status =
    attempt === undefined ? now : attempts.find((each) => each.attempt === attempt)?.status;
  return new CommandFailure('refused', `Nothing that ${what} printed is kept.`, whyNot(status));
}

/** As much of the reason as is known: a job does not tell what it keeps. */
function whyNot(status: string | undefined): readonly string[] {
  switch (status) {
    case 'completed':
      return [
        'It completed. It printed nothing, or the job keeps only what tasks print when they fail; to keep all:',
        '  muster submit … --keep-output always',
      ];
    case 'failed':
      return ['It failed. It printed nothing, or the job was submitted with --keep-output never.'];
    case 'pending':
      return [
        'No attempt of it has ended with anything to keep: it waits to be given to a worker.',
      ];
    case 'assigned':
    case 'running':
      return ['It has not ended: what it prints is kept when it does.'];
    case undefined:
      return ['It had no such attempt. `muster task` without --output lists those that it had.'];
    default:
      return [`It ended without its worker telling what it had printed (${status}).`];
  }
}
