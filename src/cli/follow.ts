// Follows a job to its end. Ctrl-C ends the following and leaves the job alone.

import { setTimeout as pause } from 'node:timers/promises';
import type { FollowedJob, JobHead, MusterClient, TaskResult } from '../client/index.ts';
import { exitCodes } from './exit-codes.ts';
import { PrintedLines } from './printed-lines.ts';
import { placeOfError } from './stack-frames.ts';
import { NO_ANSWER, ProgressLine } from './text/progress-line.ts';
import type { Terminal } from './text/terminal.ts';
import { counted, duration, retryNote } from './text/wording.ts';

export interface JobToFollow {
  readonly id: string;
  readonly task_count: number;
}

export type FollowEnd =
  /** `place`: where the task threw that the error of the job names. */
  | { readonly type: 'final'; readonly job: JobHead; readonly place?: string }
  | { readonly type: 'interrupted' };

export interface FollowOptions {
  /** Large results as references: nobody looks at their values. */
  readonly references?: boolean;
  /** Shows what the tasks print, from this event on, or from now on. */
  readonly output?: { readonly from?: string };
  /** The job as it was submitted, with the results that come in the answer to that. */
  readonly followed?: FollowedJob;
}

/** Called for each result in order of completion. A task that was retried has a second result. */
export type OnResult = (text: string, result: TaskResult) => Promise<void> | void;

const WATCH_MS = 1_000;

export async function followJob(
  client: MusterClient,
  job: JobToFollow,
  terminal: Terminal,
  signal: AbortSignal,
  onResult: OnResult,
  { references = false, output, followed }: FollowOptions = {},
): Promise<FollowEnd> {
  const line = new ProgressLine(terminal, job.task_count);
  /** Told once, until there is another result. */
  let isAway = false;
  const redraw = setInterval(() => line.draw(), 1_000);
  const watch = terminal.isInteractive ? watchProgress(client, job.id, line) : undefined;
  const printed =
    output === undefined ? undefined : new PrintedLines(client, job.id, terminal, output.from);
  try {
    line.draw(true);
    const how = {
      references,
      signal,
      onInterruption: () => {
        if (!isAway) tellInterruption(line, terminal);
        isAway = true;
      },
    };
    const lines = followed?.lines(how) ?? client.resultLines(job.id, { ...how, follow: true });
    for await (const { text, result } of lines) {
      isAway = false;
      await onResult(text, result);
      line.advance(result);
    }
    await printed?.finish();
    return await endOf(client, await client.jobHead(job.id, { signal }));
  } catch (error) {
    if (!signal.aborted) throw error;
    return { type: 'interrupted' };
  } finally {
    clearInterval(redraw);
    watch?.abort();
    printed?.stop();
    line.clear();
  }
}

/** Coordinators of before do not say. */
export function isHeld({ held_since: since }: Pick<JobHead, 'held_since'>): boolean {
  return typeof since === 'string';
}

async function endOf(client: MusterClient, job: JobHead): Promise<FollowEnd> {
  const index = failedTask(job);
  const place = index === undefined ? undefined : await placeOfError(client, job.id, index);
  return { type: 'final', job, ...(place === undefined ? {} : { place }) };
}

/** The task that the error of a job names. */
function failedTask({ error }: JobHead): number | undefined {
  const [, index] = /^Task (\d+) /.exec(error ?? '') ?? [];
  return index === undefined ? undefined : Number(index);
}

/** Where no bar is drawn it stands in the log of whoever waits. */
export function tellInterruption(line: ProgressLine, terminal: Terminal): void {
  if (terminal.isInteractive) line.say(NO_ANSWER);
  else terminal.note(NO_ANSWER);
}

/** Asks how far the job is, running tasks included, until it is aborted. */
function watchProgress(client: MusterClient, jobId: string, line: ProgressLine): AbortController {
  const watch = new AbortController();
  const { signal } = watch;
  void (async () => {
    for (;;) {
      await pause(WATCH_MS, undefined, { signal });
      // Without an answer the bar stays as it is; whoever follows the results says what is the matter.
      const head = await client.jobHead(jobId, { signal }).catch(() => undefined);
      if (head !== undefined && !signal.aborted) line.reach(head.progress, isHeld(head));
    }
  })().catch(() => {}); // aborted
  return watch;
}

/** Prints how the following ended; returns the exit code. `out` is the file that was to be written. */
export function tellEnd(end: FollowEnd, jobId: string, terminal: Terminal, out?: string): number {
  const { dim, green, red, yellow } = terminal.noteColors;
  if (end.type === 'interrupted') {
    const missing = out === undefined ? '' : ` "${out}" was not written.`;
    const follow = `muster results ${jobId} --follow`;
    terminal.note(`The job goes on without you.${missing}`);
    if (out === undefined) terminal.note(dim(`  follow it:  ${follow}`));
    else terminal.note(dim(`  write it when the job has ended:  ${follow} --out ${quoted(out)}`));
    terminal.note(dim(`  cancel it:  muster cancel ${jobId}`));
    return exitCodes.interrupted.code;
  }
  const { job } = end;
  const tookMs = Date.parse(job.completed_at ?? '') - Date.parse(job.created_at);
  const took = Number.isNaN(tookMs) ? '' : ` in ${duration(tookMs)}`;
  const tasks = counted(job.task_count, 'task');
  if (job.status === 'completed') {
    terminal.note(green(`completed: ${tasks}${took}`));
    return exitCodes.ok.code;
  }
  const { failed, cancelled } = job.counts;
  const parts = [`${failed} failed`, ...(cancelled > 0 ? [`${cancelled} cancelled`] : [])];
  const paint = job.status === 'failed' ? red : yellow;
  terminal.note(paint(`${job.status}: ${parts.join(', ')} of ${tasks}${took}`));
  if (job.error !== null) terminal.note(`  ${job.error}`);
  if (end.place !== undefined) terminal.note(`      ${end.place}`);
  const index = failedTask(job);
  if (index !== undefined) {
    terminal.note(dim(`  see where it failed:  muster task ${jobId} ${index}`));
  }
  if (failed > 1) terminal.note(dim(`  see all by kinds:  muster errors ${jobId}`));
  if (failed > 0) {
    terminal.note(dim(`  run the failed tasks again:  muster retry ${jobId}`));
    for (const line of retryNote(jobId)) terminal.note(dim(`  ${line}`));
  }
  return exitCodes.jobFailed.code;
}

/** As a shell takes it. */
function quoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
