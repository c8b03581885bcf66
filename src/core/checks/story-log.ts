// Remembers, per task, what happened to it, in bounded memory. Fed with batches of events.

import type { ToldAttempt, ToldEvent } from '../told-events.ts';
import type { JobSpec } from '../records.ts';
import { offset } from './story-times.ts';
import { taskId } from '../task-key.ts';

export interface StoryBounds {
  /** Tasks and jobs that are remembered; the one that was silent longest is forgotten first. */
  readonly subjects: number;
  /** Lines of each; the oldest go first. */
  readonly lines: number;
}

export class StoryLog {
  private readonly bounds: StoryBounds;
  private readonly bySubject = new Map<string, Line[]>();
  private newest = 0;

  constructor(bounds: StoryBounds = { subjects: 10_000, lines: 100 }) {
    this.bounds = bounds;
  }

  feed(events: readonly ToldEvent[]): void {
    for (const event of events) this.take(event);
  }

  /** What is remembered of the task and of its job, oldest first. */
  lines(jobId: string, index: number): readonly string[] {
    const own = this.bySubject.get(taskId(jobId, index)) ?? [];
    const ofJob = this.bySubject.get(jobId) ?? [];
    return [...ofJob, ...own].sort((a, b) => a.order - b.order).map(({ text }) => text);
  }

  private take(event: ToldEvent): void {
    const told = tell(event);
    if (told === undefined) return;
    const { job, index, text } = told;
    const subject = index === null ? job.id : taskId(job.id, index);
    const lines = this.bySubject.get(subject) ?? [];
    this.bySubject.delete(subject);
    this.bySubject.set(subject, lines);
    lines.push({ order: this.newest++, text: `${offset(event.at - job.createdAt)} ${text}` });
    if (lines.length > this.bounds.lines) lines.shift();
    if (this.bySubject.size <= this.bounds.subjects) return;
    for (const oldest of this.bySubject.keys()) {
      this.bySubject.delete(oldest);
      break;
    }
  }
}

interface Line {
  readonly order: number;
  readonly text: string;
}

interface Told {
  readonly job: JobSpec;
  /** Null when the line is about the whole job. */
  readonly index: number | null;
  readonly text: string;
}

function tell(event: ToldEvent): Told | undefined {
  switch (event.type) {
    case 'job_submitted':
      return { job: event.spec, index: null, text: 'job submitted' };
    case 'job_cancelled':
      return { job: event.job.spec, index: null, text: 'job cancelled by the client' };
    case 'job_held':
      return { job: event.job.spec, index: null, text: 'job held' };
    case 'job_released':
      return { job: event.job.spec, index: null, text: 'job released' };
    case 'job_abandoned':
      return { job: event.job.spec, index: null, text: 'job abandoned: one of its tasks failed' };
    case 'job_retried':
      return { job: event.job.spec, index: null, text: 'job retried: budgets begin anew' };
    case 'job_finished':
      return { job: event.job.spec, index: null, text: `job finished: ${event.status}` };
    case 'task_assigned': {
      const { job, index, worker, attempt } = event;
      const how = event.isCopy ? 'copied' : 'assigned';
      return { job: job.spec, index, text: `attempt ${attempt} ${how} to ${worker.id}` };
    }
    case 'attempt_started':
    case 'attempt_recalled':
    case 'attempt_delivered':
    case 'attempt_withdrawn':
    case 'attempt_missed':
    case 'attempt_named':
      return ofAttempt(event.attempt, event.type.slice('attempt_'.length));
    case 'checkpoint_saved': {
      const { sequence, progress } = event.command;
      return ofAttempt(event.attempt, `saved checkpoint ${sequence} at ${progress}`);
    }
    case 'checkpoint_dropped': {
      const { task, attempt, sequence } = event.checkpoint;
      const text = `checkpoint ${sequence} of attempt ${attempt} dropped: it cannot be read`;
      return { job: task.job.spec, index: task.index, text };
    }
    case 'attempt_ended': {
      const { outcome, errorType, charge } = event;
      const cost = charge === 'none' ? 'uncharged' : `charged as ${charge}`;
      const why = errorType === outcome ? '' : ` (${errorType})`;
      return ofAttempt(event.attempt, `${outcome}${why}, ${cost}`);
    }
    case 'task_requeued': {
      const { task, notBefore, at } = event;
      const when = notBefore > at ? `in ${notBefore - at} ms` : 'at once';
      return { job: task.job.spec, index: task.index, text: `requeued, may be assigned ${when}` };
    }
    case 'task_due':
      return { job: event.task.job.spec, index: event.task.index, text: 'may be assigned again' };
    case 'task_completed': {
      const { task, attempt, workerId } = event;
      const text = `completed by attempt ${attempt} of ${workerId}`;
      return { job: task.job.spec, index: task.index, text };
    }
    case 'task_failed': {
      const { task, error } = event;
      const text = `failed for good: ${error.type}: ${error.message}`;
      return { job: task.job.spec, index: task.index, text };
    }
    default:
      return undefined;
  }
}

function ofAttempt(live: ToldAttempt, text: string): Told {
  const { task, attempt, worker } = live;
  return {
    job: task.job.spec,
    index: task.index,
    text: `attempt ${attempt} on ${worker.id} ${text}`,
  };
}
