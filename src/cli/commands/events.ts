// `muster events`: prints every event when it happens, a line each; those of a job until it has ended.

import { setTimeout as pause } from 'node:timers/promises';
import { type Command, Option } from 'commander';
import type { EventType, JobHead, MusterClient } from '../../client/index.ts';
import { type ClientFlags, type Context, openClient } from '../context.ts';
import { eventLine } from '../text/event-line.ts';
import { clockFor } from '../text/times.ts';
import { exitCodes } from '../exit-codes.ts';
import { interruption } from '../process/interruption.ts';
import { JOB_HANDLE, withJob } from '../handles.ts';
import { wholeNumber } from '../settings/flag-values.ts';
import { settingOption } from '../settings/settings.ts';

const COUNT_MOST = 1_000_000_000;
const WATCH_MS = 2_000;

interface Flags extends ClientFlags {
  readonly job?: string;
  readonly types?: string;
  readonly count?: number;
  readonly follow?: boolean;
}

export function declareEvents(program: Command, context: Context): void {
  program
    .command('events')
    .description('watch what happens; single tasks only with --job or --types')
    .option('--job <job>', `only what concerns this job, its tasks included: ${JOB_HANDLE}`)
    .option('--follow', 'with --job: stay when the job has ended, as it may be retried')
    .option('--types <list>', 'only these, like task_completed,worker_lost')
    .addOption(
      new Option('--count <number>', 'end after so many').argParser(
        wholeNumber('a number of events', 1, COUNT_MOST),
      ),
    )
    .addOption(settingOption('url'))
    .addOption(settingOption('pin'))
    .option('--json', 'print the events as the coordinator sends them, one JSON object a line')
    .action((flags: Flags) => watch(flags, context));
}

async function watch(flags: Flags, context: Context): Promise<void> {
  const { terminal } = context;
  const client = await openClient(flags);
  const job =
    flags.job === undefined
      ? undefined
      : await withJob(client, flags.job, (id) => client.jobHead(id));
  const mayEnd = job !== undefined && flags.follow !== true;
  if (mayEnd && job.completed_at !== null) return tellEnded(job, context);
  const interrupted = interruption();
  const end = new AbortController();
  const signal = AbortSignal.any([interrupted, end.signal]);
  // Not checked here: the coordinator names the known types when it refuses one.
  const types = flags.types?.split(',').map((type) => type.trim() as EventType);
  const events = client.events({
    signal,
    ...(job === undefined ? {} : { jobId: job.id }),
    ...(types === undefined ? {} : { types }),
  });
  if (mayEnd) void watchJob(client, job.id, end);
  const { dim } = terminal.noteColors;
  if (!flags.json) terminal.note(dim(`(times: ${clockFor([], Date.now()).zone})`));
  if (terminal.isInteractive) terminal.note(dim('Ctrl-C ends it'));
  let count = 0;
  try {
    for await (const event of events) {
      await (flags.json
        ? terminal.data(`${JSON.stringify(event)}\n`)
        : terminal.write(`${eventLine(event, terminal.colors, Date.now())}\n`));
      count++;
      if (count === flags.count) return;
      if (mayEnd && event.type === 'job_finished') break;
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    end.abort();
  }
  context.exit(interrupted.aborted ? exitCodes.interrupted.code : exitCodes.ok.code);
}

/** Ends the watching some time after the job, whichever types of events are asked for. */
async function watchJob(client: MusterClient, id: string, end: AbortController): Promise<void> {
  const { signal } = end;
  for (let isOver = false; ; ) {
    // Without an answer the stream itself says what is the matter.
    const job = await pause(WATCH_MS, undefined, { signal })
      .then(() => client.jobHead(id, { signal }))
      .catch((error: unknown) => (isUnknown(error) ? null : undefined));
    if (signal.aborted) return;
    // Its last events may be on their way for one more round.
    if (isOver) return end.abort();
    isOver = job === null || typeof job?.completed_at === 'string';
  }
}

function isUnknown(error: unknown): boolean {
  return (error as { code?: unknown }).code === 'unknown_job';
}

/** Events are told when they happen; none is kept. */
function tellEnded({ id, status }: JobHead, { terminal }: Context): void {
  terminal.note(`The job has ended (${status}): no events come, and those of before are not kept.`);
  const { dim } = terminal.noteColors;
  terminal.note(dim(`  its tasks:          muster tasks ${id}`));
  terminal.note(dim(`  the story of one:   muster explain ${id} 0`));
  terminal.note(dim('  stay all the same:  --follow, as it may be retried'));
}
