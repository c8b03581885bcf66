// `muster submit PROGRAM`: bundles a program, reads its inputs and hands both over as a job.

import { type Command, Option } from 'commander';
import type { JobSummary, MusterClient, StreamedJob } from '../../client/index.ts';
import { CommandFailure } from '../command-failure.ts';
import { type ClientFlags, type Context, openClient } from '../context.ts';
import { followJob, tellEnd } from '../follow.ts';
import type { Inputs } from '../inputs.ts';
import { interruption } from '../process/interruption.ts';
import {
  addRequirementFlags,
  type RequirementFlags,
  requirementsOf,
} from '../settings/requirement-flags.ts';
import { decimalNumber, settingOption, wholeNumber } from '../settings/settings.ts';
import type { Terminal } from '../text/terminal.ts';
import { counted } from '../text/wording.ts';
import { saveResults } from './results.ts';

const PRIORITY_MOST = 1_000;
const ATTEMPTS_MOST = 1_000;
const SECONDS_MOST = 31_536_000;
const INTERVAL_LEAST = 0.05;
const DAY = 86_400;

interface Flags extends ClientFlags, RequirementFlags {
  readonly inputs?: string;
  readonly range?: string;
  readonly follow?: boolean;
  readonly out?: string;
  readonly name?: string;
  readonly client?: string;
  readonly priority?: number;
  readonly maxAttempts?: number;
  readonly maxLostAttempts?: number;
  readonly retryDelay?: number;
  readonly attemptTimeout?: number;
  readonly progressTimeout?: number;
  readonly checkpointInterval?: number;
  readonly speculate?: boolean;
  readonly rejectLateResults?: boolean;
  readonly failFast?: boolean;
  readonly idempotencyKey?: string;
}

export function declareSubmit(program: Command, context: Context): void {
  const command = program
    .command('submit')
    .description('submit a job: a program, and a task for every input')
    .argument('<program>', 'a .js or .ts file whose default export is the task function')
    .option('--inputs <file>', 'a .json array, .ndjson or .jsonl lines, or - for lines on stdin')
    .option('--range <start:count>', 'whole numbers as inputs')
    .option('--follow', 'stay until the job has ended; prints the results as they come')
    .option('--out <file>', 'when it has ended, write the results to a file (implies --follow)')
    .option('--name <text>', 'of the job (default: the name of the file)')
    .option('--client <text>', 'label for who submits')
    .addOption(number('--priority <number>', 'larger goes first', -PRIORITY_MOST, PRIORITY_MOST))
    .addOption(number('--max-attempts <number>', 'tries of a task that fails', 1, ATTEMPTS_MOST))
    .addOption(
      number(
        '--max-lost-attempts <number>',
        'tries of a task whose worker is lost',
        1,
        ATTEMPTS_MOST,
      ),
    )
    .addOption(number('--retry-delay <seconds>', 'before the second try', 0, SECONDS_MOST))
    .addOption(number('--attempt-timeout <seconds>', 'for one try', 1, SECONDS_MOST))
    .addOption(number('--progress-timeout <seconds>', 'without any progress', 1, SECONDS_MOST))
    .addOption(
      new Option(
        '--checkpoint-interval <seconds>',
        'between two checkpoints of a task, like 0.5 (default: by what one costs)',
      ).argParser(decimalNumber('a number of seconds', INTERVAL_LEAST, DAY)),
    )
    .option('--speculate', 'let an idle worker run a copy of a task that takes too long')
    .option('--reject-late-results', 'what a lost worker brings later does not count')
    .option('--fail-fast', 'give the job up when one of its tasks has failed for good');
  addRequirementFlags(command)
    .option(
      '--idempotency-key <text>',
      'the same key and job are submitted once, however often sent',
    )
    .addOption(settingOption('url'))
    .option('--json', 'print the job as the coordinator answers it, instead of its id')
    .action((path: string, flags: Flags) => submitJob(path, flags, context));
}

function number(flags: string, description: string, least: number, most: number): Option {
  return new Option(flags, description).argParser(wholeNumber('a number here', least, most));
}

async function submitJob(path: string, flags: Flags, context: Context): Promise<void> {
  const { terminal } = context;
  const client = await openClient(flags);
  const inputs = await inputsOf(flags, context);
  const { bundleProgram } = await import('../bundle/bundle.ts');
  const source = await bundleProgram(path, context.folder);
  const job = await send(client, jobOf(path, source, flags), inputs, flags);
  const isFollowed = flags.follow === true || flags.out !== undefined;
  if (!isFollowed) return tellSubmitted(job, flags, false, terminal);
  // Before the id is told: whoever has seen it may press Ctrl-C.
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

async function inputsOf(flags: Flags, { folder, terminal }: Context): Promise<Inputs> {
  const { openInputs, parseRange } = await import('../inputs.ts');
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
  const given = {
    client_id: flags.client,
    priority: flags.priority,
    max_attempts: flags.maxAttempts,
    max_lost_attempts: flags.maxLostAttempts,
    retry_delay_seconds: flags.retryDelay,
    attempt_timeout_seconds: flags.attemptTimeout,
    progress_timeout_seconds: flags.progressTimeout,
    speculation: flags.speculate === true ? { enabled: true } : undefined,
    late_results: flags.rejectLateResults === true ? ('reject' as const) : undefined,
    checkpoint:
      flags.checkpointInterval === undefined
        ? undefined
        : { interval_seconds: flags.checkpointInterval },
    on_task_failure: flags.failFast === true ? ('fail_job' as const) : undefined,
    requirements: requirementsOf(flags),
  };
  const present = Object.entries(given).filter(([, value]) => value !== undefined);
  return {
    name: flags.name ?? nameOf(path),
    program: { kind: 'javascript', source },
    ...Object.fromEntries(present),
  };
}

async function send(
  client: MusterClient,
  job: StreamedJob,
  inputs: Inputs,
  { idempotencyKey }: Flags,
): Promise<JobSummary> {
  const options = idempotencyKey === undefined ? {} : { idempotencyKey };
  if (inputs.type === 'list') {
    const { refusalIn } = await import('../inputs.ts');
    return client.submitStream(job, inputs.values, options).catch((error: unknown) => {
      const { message } = error as Error;
      const told = refusalIn(inputs, message);
      throw told === message ? error : new CommandFailure('refused', told, [], error);
    });
  }
  const { start, count } = inputs;
  return client.submit({ ...job, inputs: { range: { start, count } } }, options);
}

/** The id is data, unless the results are. */
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
