// Follows a job to its end. Ctrl-C ends the following and leaves the job alone.

import type { JobHead, MusterClient, TaskResult } from '../client/index.ts';
import { exitCodes } from './exit-codes.ts';
import { ProgressLine } from './text/progress-line.ts';
import type { Terminal } from './text/terminal.ts';
import { counted, duration } from './text/wording.ts';

export interface FollowedJob {
  readonly id: string;
  readonly task_count: number;
}

export type FollowEnd =
  | { readonly type: 'final'; readonly job: JobHead }
  | { readonly type: 'interrupted' };

/** Called for each result in order of completion. A task that was retried has a second result. */
export type OnResult = (text: string, result: TaskResult) => Promise<void> | void;

export async function followJob(
  client: MusterClient,
  job: FollowedJob,
  terminal: Terminal,
  signal: AbortSignal,
  onResult: OnResult,
): Promise<FollowEnd> {
  const line = new ProgressLine(terminal, job.task_count);
  const redraw = setInterval(() => line.draw(), 1_000);
  try {
    line.draw(true);
    const lines = client.resultLines(job.id, {
      follow: true,
      signal,
      onInterruption: () => line.say('no answer from the coordinator, trying again …'),
    });
    for await (const { text, result, replaces } of lines) {
      await onResult(text, result);
      line.advance(result.status !== 'completed', replaces);
    }
    return { type: 'final', job: await client.jobHead(job.id, { signal }) };
  } catch (error) {
    if (!signal.aborted) throw error;
    return { type: 'interrupted' };
  } finally {
    clearInterval(redraw);
    line.clear();
  }
}

/** Prints how the following ended; returns the exit code. */
export function tellEnd(end: FollowEnd, jobId: string, terminal: Terminal): number {
  const { dim, green, red, yellow } = terminal.noteColors;
  if (end.type === 'interrupted') {
    terminal.note('The job goes on without you.');
    terminal.note(dim(`  follow it:  muster results ${jobId} --follow`));
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
  const [, index] = /^Task (\d+) /.exec(job.error ?? '') ?? [];
  if (index !== undefined) {
    terminal.note(dim(`  see where it failed:  muster task ${jobId} ${index}`));
  }
  if (failed > 0) terminal.note(dim(`  run the failed tasks again:  muster retry ${jobId}`));
  return exitCodes.jobFailed.code;
}
