// `muster submit PROGRAM`: bundles a program, reads its inputs and submits both as a job.

import { type Command, Option } from 'commander';
import type {
  FollowedJob,
  JobHead,
  JobSummary,
  MusterClient,
  StreamedJob,
} from '../../client/index.ts';
import { defaultLimits } from '../../protocol/limits.ts';
import type { Program } from '../../protocol/program.ts';
import { CommandFailure } from '../command-failure.ts';
import { type ClientFlags, type Context, openClient } from '../context.ts';
import { followJob, isHeld, tellEnd } from '../follow.ts';
import { namedText } from '../handles.ts';
import { type FailedWork, failedWork, followUpName } from '../inputs/failed-inputs.ts';
import { addInputFlags, hasInputFlag, type InputFlags, inputsOf } from '../inputs/input-flags.ts';
import { withLargeInputs } from '../inputs/large-inputs.ts';
import { type JobInputs, refusalIn } from '../inputs/job-inputs.ts';
import {
  FILE_KINDS,
  type FileKind,
  sharedValue,
  submittedProgram,
} from '../inputs/submitted-program.ts';
import { interruption } from '../process/interruption.ts';
import { runThenOf, thenFlag } from '../process/run-then.ts';
import { oneOf } from '../settings/flag-values.ts';
import { addJobFlags, jobOptionsOf } from '../settings/job-flags.ts';
import { addNotifyFlags, type NotifyFlags, notifyOf } from '../settings/notify-flags.ts';
import {
  addRequirementFlags,
  type RequirementFlags,
  requirementsOf,
} from '../settings/requirement-flags.ts';
import { settingOption } from '../settings/settings.ts';
import type { Terminal } from '../text/terminal.ts';
import { counted, grouped } from '../text/wording.ts';
import { checkOut, saveResults } from './results.ts';

interface Flags extends ClientFlags, RequirementFlags, NotifyFlags, InputFlags {
  readonly failedOf?: string;
  readonly andCancelled?: boolean;
  readonly with?: string;
  readonly kind?: FileKind;
  readonly shared?: string;
  readonly follow?: boolean;
  readonly out?: string;
  readonly references?: boolean;
  readonly output?: boolean;
  readonly idempotencyKey?: string;
  readonly check: boolean;
  readonly then?: string;
}

export function declareSubmit(program: Command, context: Context): void {
  const command = program
    .command('submit')
    .description('submit a job: a program, and a task for every input')
    .argument(
      '<program>',
      'a .js or .ts file whose default export is the task function, a .py or a .wasm file',
    );
  addInputFlags(command)
    .option(
      '--failed-of <job>',
      'the inputs of the tasks of this job that failed; with its options, where no other is given',
    )
    .option('--and-cancelled', 'with --failed-of: also those that were cancelled')
    .option(
      '--with <file>',
      'an object in a file of JSON: its members are constants of the program',
    )
    .option('--shared <json>', 'a value for all tasks: JSON, or @FILE with JSON in it')
    .addOption(
      new Option(
        '--kind <kind>',
        'what the program is, where its ending does not say it',
      ).argParser(oneOf('a kind', FILE_KINDS)),
    )
    .option('--follow', 'stay until the job has ended; prints the results as they come')
    .option(
      '--out <file>',
      'when it has ended, write the results to a .ndjson, .json or .csv file (implies --follow)',
    )
    .option('--references', 'large results as {"$blob": "<sha256>"}, instead of the values');
  command.option(thenFlag[0], `${thenFlag[1]} (implies --follow)`);
  addRequirementFlags(addNotifyFlags(addJobFlags(command)))
    .option(
      '--idempotency-key <text>',
      'the same key and job are submitted once, however often sent',
    )
    .option('--no-check', 'submit what the check of the program refuses')
    .addOption(settingOption('url'))
    .addOption(settingOption('pin'))
    .option('--json', 'print the job as the coordinator answers it, instead of its id')
    .action((path: string, flags: Flags) => submitJob(path, flags, context));
}

async function submitJob(path: string, flags: Flags, context: Context): Promise<void> {
  const { terminal } = context;
  // Hours later, when the results are there, would be too late.
  if (flags.out !== undefined) await checkOut(flags.out, context);
  const client = await openClient(flags);
  const earlier = await earlierWork(client, flags);
  const inputs = earlier?.inputs ?? (await inputsOf(flags, context));
  const program = await submittedProgram(path, flags, client, context);
  const shared =
    flags.shared === undefined ? {} : { shared: await sharedValue(flags.shared, context.folder) };
  const isFollowed = flags.follow === true || flags.out !== undefined || flags.then !== undefined;
  // Before the job is there: what its first task prints is not missed.
  const output = isFollowed && flags.output ? { from: await client.eventPlace() } : undefined;
  const asked = { ...(await jobOf(path, program, flags, earlier, context)), ...shared };
  const { job, followed } = await send(client, asked, inputs, { ...flags, isFollowed });
  if (earlier !== undefined) tellEarlier(earlier, job, terminal);
  if (!isFollowed) return tellSubmitted(job, flags, false, terminal);
  // Before the id is printed: a person who has seen it may press Ctrl-C.
  const signal = interruption();
  tellSubmitted(job, flags, true, terminal);
  const isShown = flags.out === undefined;
  const references = flags.references === true || !isShown;
  const print = async (text: string) => {
    if (isShown) await terminal.data(`${text}\n`);
  };
  const how = {
    references,
    ...(output === undefined ? {} : { output }),
    ...(followed === undefined ? {} : { followed }),
  };
  const end = await followJob(client, job, terminal, signal, print, how);
  if (end.type === 'final' && !isShown) {
    await saveResults(client, job.id, flags, context, signal);
  }
  await runThenOf(flags, end, context);
  context.exit(tellEnd(end, job.id, terminal, flags.out));
}

async function jobOf(
  path: string,
  program: Program,
  flags: Flags,
  earlier: FailedWork | undefined,
  { folder, environment }: Context,
): Promise<StreamedJob> {
  const given = requirementsOf(flags);
  // Each that is given anew replaces the old one of its kind, and the others stay.
  const requirements = given && { ...earlier?.job.options?.requirements, ...given };
  const notify = await notifyOf(flags, folder, environment);
  return {
    ...(earlier === undefined ? { name: nameOf(path) } : optionsOf(earlier.job, nameOf(path))),
    program,
    ...jobOptionsOf(flags),
    ...(requirements === undefined ? {} : { requirements }),
    ...(notify === undefined ? {} : { notify }),
  };
}

async function earlierWork(client: MusterClient, flags: Flags): Promise<FailedWork | undefined> {
  const { failedOf: handle, andCancelled = false } = flags;
  if (handle === undefined) {
    if (!andCancelled) return undefined;
    throw new CommandFailure('usage', '--and-cancelled goes with --failed-of JOB.');
  }
  if (!hasInputFlag(flags)) return failedWork(client, handle, andCancelled);
  throw new CommandFailure('usage', '--failed-of brings its inputs along: give no others.');
}

/** What was chosen for it; whom to tell of the end is not known here, for secrets are not told. */
function optionsOf(job: JobHead, program: string): Omit<StreamedJob, 'program'> {
  const { client_id, priority, options = {} } = job;
  return { name: followUpName(program, job), client_id, priority, ...options };
}

function tellEarlier(
  { job, areCancelledIn }: FailedWork,
  made: JobSummary,
  terminal: Terminal,
): void {
  const tasks = counted(made.task_count, 'task');
  const { dim } = terminal.noteColors;
  const which = areCancelledIn ? 'that failed or were cancelled' : 'that failed';
  terminal.note(dim(`the inputs of ${tasks} of ${namedText(job)} ${which}, and its options`));
  const { cancelled } = job.counts;
  if (cancelled > 0 && !areCancelledIn) {
    const many = cancelled === 1 ? '1 task was' : `${counted(cancelled, 'task')} were`;
    terminal.note(`${many} cancelled and left out here; with --and-cancelled they come along`);
  }
  if (job.completed_at === null) terminal.note(`${namedText(job)} goes on: more of it may fail`);
  if (job.has_shared === true) {
    terminal.note('its tasks shared a value: give it again with --shared');
  }
  if (job.notify !== undefined) {
    terminal.note('nobody is told of the end: name them again with --notify');
  }
}

interface Sent {
  readonly job: JobSummary;
  /** With its results, where somebody stays for them. */
  readonly followed?: FollowedJob;
}

async function send(
  client: MusterClient,
  job: StreamedJob,
  inputs: JobInputs,
  { idempotencyKey, isFollowed }: Flags & { readonly isFollowed: boolean },
): Promise<Sent> {
  const options = idempotencyKey === undefined ? {} : { idempotencyKey };
  if (inputs.type === 'list') {
    await refuseTooMany(client, inputs.count ?? 0);
    const { values } = withLargeInputs(client, inputs);
    const sent = isFollowed
      ? client.submitStreamAndFollow(job, values, options).then(withJob)
      : client.submitStream(job, values, options).then((made) => ({ job: made }));
    return sent.catch((error: unknown) => {
      const { message } = error as Error;
      const told = refusalIn(inputs, message);
      throw told === message ? error : new CommandFailure('refused', told, [], error);
    });
  }
  const { start, count } = inputs;
  const whole = { ...job, inputs: { range: { start, count } } };
  if (isFollowed) return withJob(await client.submitAndFollow(whole, options));
  return { job: await client.submit(whole, options) };
}

function withJob(followed: FollowedJob): Sent {
  return { job: followed.job, followed };
}

/** The coordinator would refuse them, too, but only when it has got as many as it takes. */
async function refuseTooMany(client: MusterClient, count: number): Promise<void> {
  if (count <= defaultLimits.inputsPerJob) return;
  const { inputs_per_job: most } = await client.limits();
  if (count <= most) return;
  const sentence = `These are ${grouped(count)} inputs, and a job may have ${grouped(most)} (limit inputs_per_job).`;
  throw new CommandFailure('usage', sentence);
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
  const held = isHeld(job) ? ', held: nothing of it starts yet' : '';
  terminal.note(terminal.noteColors.dim(`${what}: ${counted(job.task_count, 'task')}${held}`));
  if (held !== '')
    terminal.note(terminal.noteColors.dim(`let it start:  muster release ${job.id}`));
  if (!isFollowed) {
    terminal.note(terminal.noteColors.dim(`follow it:  muster results ${job.id} --follow`));
  }
}

/** `jobs/pi.ts` → `pi` */
function nameOf(path: string): string {
  return (path.split(/[/\\]/).at(-1) ?? path).replace(/\.([cm]?[jt]s|py|wasm)$/, '');
}
