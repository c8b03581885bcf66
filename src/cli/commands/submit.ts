// `muster submit PROGRAM`: bundles a program, reads its inputs and submits both as a job.

import type { Command } from 'commander';
import type { JobSummary, MusterClient, StreamedJob } from '../../client/index.ts';
import { CommandFailure } from '../command-failure.ts';
import { type ClientFlags, type Context, openClient } from '../context.ts';
import { followJob, tellEnd } from '../follow.ts';
import type { JobInputs } from '../job-inputs.ts';
import { interruption } from '../process/interruption.ts';
import { addJobFlags, jobOptionsOf } from '../settings/job-flags.ts';
import {
  addRequirementFlags,
  type RequirementFlags,
  requirementsOf,
} from '../settings/requirement-flags.ts';
import { settingOption } from '../settings/settings.ts';
import type { Terminal } from '../text/terminal.ts';
import { counted } from '../text/wording.ts';
import { saveResults } from './results.ts';

interface Flags extends ClientFlags, RequirementFlags {
  readonly inputs?: string;
  readonly range?: string;
  readonly follow?: boolean;
  readonly out?: string;
  readonly idempotencyKey?: string;
  readonly check: boolean;
}

export function declareSubmit(program: Command, context: Context): void {
  const command = program
    .command('submit')
    .description('submit a job: a program, and a task for every input')
    .argument('<program>', 'a .js or .ts file whose default export is the task function')
    .option('--inputs <file>', 'a .json array, .ndjson or .jsonl lines, or - for lines on stdin')
    .option('--range <start:count>', 'whole numbers as inputs')
    .option('--follow', 'stay until the job has ended; prints the results as they come')
    .option('--out <file>', 'when it has ended, write the results to a file (implies --follow)');
  addRequirementFlags(addJobFlags(command))
    .option(
      '--idempotency-key <text>',
      'the same key and job are submitted once, however often sent',
    )
    .option('--no-check', 'submit what the check of the program refuses')
    .addOption(settingOption('url'))
    .option('--json', 'print the job as the coordinator answers it, instead of its id')
    .action((path: string, flags: Flags) => submitJob(path, flags, context));
}

async function submitJob(path: string, flags: Flags, context: Context): Promise<void> {
  const { terminal } = context;
  const client = await openClient(flags);
  const inputs = await inputsOf(flags, context);
  const { bundleProgram } = await import('../bundle/bundle.ts');
  const { source, doubts } = await bundleProgram(path, context.folder, { isChecked: flags.check });
  for (const doubt of doubts) terminal.note(`${terminal.noteColors.yellow('doubt:')} ${doubt}`);
  const job = await send(client, jobOf(path, source, flags), inputs, flags);
  const isFollowed = flags.follow === true || flags.out !== undefined;
  if (!isFollowed) return tellSubmitted(job, flags, false, terminal);
  // Before the id is printed: a person who has seen it may press Ctrl-C.
  const signal = interruption();
  tellSubmitted(job, flags, true, terminal);
  const end = await followJob(client, job, terminal, signal, async (text) => {
    if (flags.out === undefined) await terminal.data(`${text}\n`);
  });
  if (end.type === 'final' && flags.out !== undefined) {
    await saveResults(client, job.id, flags.out, context);
  }
  context.exit(tellEnd(end, job.id, terminal));
}

async function inputsOf(flags: Flags, { folder, terminal }: Context): Promise<JobInputs> {
  const { openInputs, parseRange } = await import('../job-inputs.ts');
  if (flags.inputs !== undefined && flags.range !== undefined) {
    throw new CommandFailure('usage', 'Give --inputs or --range, not both.');
  }
  if (flags.range !== undefined) return parseRange(flags.range);
  if (flags.inputs === undefined) {
    throw new CommandFailure('usage', 'The job has no inputs.', [
      'Give --inputs FILE (a .json array or .ndjson lines), --inputs -, or --range 0:100.',
    ]);
  }
  if (flags.inputs === '-' && process.stdin.isTTY) {
    terminal.note('reading inputs: one JSON value a line, Ctrl-D ends them');
  }
  return openInputs(flags.inputs, folder, process.stdin);
}

function jobOf(path: string, source: string, flags: Flags): StreamedJob {
  const requirements = requirementsOf(flags);
  return {
    name: nameOf(path),
    program: { kind: 'javascript', source },
    ...jobOptionsOf(flags),
    ...(requirements === undefined ? {} : { requirements }),
  };
}

async function send(
  client: MusterClient,
  job: StreamedJob,
  inputs: JobInputs,
  { idempotencyKey }: Flags,
): Promise<JobSummary> {
  const options = idempotencyKey === undefined ? {} : { idempotencyKey };
  if (inputs.type === 'list') {
    const { refusalIn } = await import('../job-inputs.ts');
    return client.submitStream(job, inputs.values, options).catch((error: unknown) => {
      const { message } = error as Error;
      const told = refusalIn(inputs, message);
      throw told === message ? error : new CommandFailure('refused', told, [], error);
    });
  }
  const { start, count } = inputs;
  return client.submit({ ...job, inputs: { range: { start, count } } }, options);
}

/** Prints the id to stdout, unless the results go there. */
function tellSubmitted(
  job: JobSummary,
  flags: Flags,
  isFollowed: boolean,
  terminal: Terminal,
): void {
  const areResultsShown = isFollowed && flags.out === undefined;
  if (!areResultsShown && flags.json) terminal.json(job);
  else if (!areResultsShown) terminal.print(job.id);
  const what = areResultsShown ? `submitted ${job.id}` : 'submitted';
  terminal.note(terminal.noteColors.dim(`${what}: ${counted(job.task_count, 'task')}`));
  if (!isFollowed) {
    terminal.note(terminal.noteColors.dim(`follow it:  muster results ${job.id} --follow`));
  }
}

/** `jobs/pi.ts` → `pi` */
function nameOf(path: string): string {
  return (path.split(/[/\\]/).at(-1) ?? path).replace(/\.[cm]?[jt]s$/, '');
}
