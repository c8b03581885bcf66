// What is said of a job: its heading, its estimate.

import type { TaskCounts } from '../../../../protocol/resources.ts';
import type { JobHead } from '../../store/cluster.ts';
import { shareDone } from '../../store/job-share.ts';
import { grouped } from '../../text/numbers.ts';
import { aboutDuration, duration, durationRange, roughDuration } from '../../text/times.ts';
import { counted, nameOf } from '../../text/words.ts';

/** `10 min`, or null when it cannot be told. */
export function endsIn({ eta }: Pick<JobHead, 'eta'>): string | null {
  const seconds = eta?.seconds ?? null;
  return seconds === null ? null : roughDuration(seconds);
}

/** `8–13 min` of two ends with the same unit, else both whole; null when it adds nothing. */
export function likely({ eta }: Pick<JobHead, 'eta'>): string | null {
  return eta === undefined ? null : durationRange(eta.low, eta.high);
}

const minuteMs = 60_000;

/** Which time its pace is of. */
export function paceTime(head: Pick<JobHead, 'started_at' | 'created_at'>, nowMs: number): string {
  const began = Date.parse(head.started_at ?? head.created_at);
  return nowMs - began < minuteMs ? 'since it began' : 'last minute';
}

/** What is told first, with what is told in its stronger ink. */
export interface Heading {
  readonly strong: string;
  readonly rest: string;
}

export function headingOf(head: JobHead): Heading {
  const name = nameOf(head);
  const { counts, task_count: all } = head;
  const failed = counts.failed === 0 ? '' : ` ${sentence(failedOf(counts.failed))}`;
  if (all === 0) return { strong: `${name} has no tasks`, rest: ': an empty job is completed.' };
  const took = tookOf(head);
  switch (head.status) {
    case 'completed':
      return {
        strong: `${name} completed ${counted(counts.completed, 'task')}`,
        rest: `${took}.${failed}`,
      };
    case 'failed':
      if (counts.completed === 0 && counts.failed === all) {
        const every = all === 1 ? 'Its one task' : `All ${counted(all, 'task')} of ${name}`;
        return { strong: `${every} failed`, rest: `${took}.` };
      }
      return {
        strong: `${failedOf(counts.failed)} of ${grouped(all)} in ${name}`,
        rest: `, ${grouped(counts.completed)} completed${took}.`,
      };
    case 'cancelled':
      return {
        strong: `${name} was cancelled`,
        rest: ` with ${grouped(counts.completed)} of ${counted(all, 'task')} completed.${failed}`,
      };
    case 'pending':
    case 'running': {
      const strong = `${name} is at ${shareDone(head)}`;
      if (head.held_since !== null)
        return { strong, rest: `, and held: nothing new starts.${failed}` };
      const ends = head.eta.seconds;
      if (ends !== null) return { strong, rest: ` and ends in ${aboutDuration(ends)}.${failed}` };
      const runs = counts.running + counts.assigned;
      const now =
        runs === 0 ? 'nothing of it runs' : `${counted(runs, 'task')} run${runs === 1 ? 's' : ''}`;
      return {
        strong,
        rest: `: ${now}, ${grouped(counts.pending)} ${counts.pending === 1 ? 'waits' : 'wait'}.${failed}`,
      };
    }
  }
}

function failedOf(count: number): string {
  return `${counted(count, 'task')} failed`;
}

function sentence(text: string): string {
  return `${text}.`;
}

function tookOf({ created_at: from, completed_at: to }: JobHead): string {
  if (to === null) return '';
  return ` in ${duration((Date.parse(to) - Date.parse(from)) / 1000)}`;
}

/** How the end was told, or why it cannot be told. */
export function estimateOf({ eta }: Pick<JobHead, 'eta'>): string {
  if (eta === undefined) return 'This coordinator tells no estimate.';
  return eta.seconds === null ? (eta.reason ?? '') : (eta.method ?? '');
}

/** Null: there is nothing that could be retried. */
export function retryText(counts: TaskCounts): string | null {
  return counts.failed === 0 ? null : `Retry ${grouped(counts.failed)} failed`;
}

/** What a cancel costs, and what it leaves. */
export function lossOfCancel({ counts }: Pick<JobHead, 'counts'>): readonly string[] {
  const runs = counts.running + counts.assigned;
  return [
    `${counted(counts.pending, 'task')} ${counts.pending === 1 ? 'waits' : 'wait'} and will not start.`,
    ...(runs === 0
      ? []
      : [
          `${counted(runs, 'task')} ${runs === 1 ? 'runs' : 'run'} and will be stopped: that work is lost.`,
        ]),
    `${counted(counts.completed, 'result')} ${counts.completed === 1 ? 'stays' : 'stay'}.`,
  ];
}
