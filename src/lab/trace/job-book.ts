// Jobs as a trace tells them.

import type { JobRecord, JobSpec } from '../../core/records.ts';
import type { ToldAs } from '../../core/told-events.ts';
import type { CodeBook } from './code-book.ts';
import type { Outlet } from './outlet.ts';
import type { RecordOf } from './trace-format.ts';

/** More changes of priority within a job are not written. */
const mostRuns = 10_000;

export type JobEvent = ToldAs<'job_submitted' | 'job_released' | 'job_finished' | 'job_deleted'>;

type Met = Pick<RecordOf<'job'>, 'tasks' | 'is_from_before' | 'is_held' | 'input_bytes'>;

export class JobBook {
  readonly #outlet: Outlet;
  readonly #codes: CodeBook;

  constructor(outlet: Outlet, codes: CodeBook) {
    this.#outlet = outlet;
    this.#codes = codes;
  }

  /** It was there before. */
  begin({ spec, openTasks, heldAt }: JobRecord, at: number): void {
    if (openTasks === 0) return;
    const is_held = heldAt !== null;
    this.#add(spec, at, { tasks: openTasks, is_from_before: true, is_held, input_bytes: null });
  }

  /** One that ended before the recording and was asked to go on is met by its attempts. */
  numberOf(spec: JobSpec, at: number): number {
    const met: Met = { tasks: 0, is_from_before: true, is_held: false, input_bytes: null };
    return this.#codes.findJob(spec.id) ?? this.#add(spec, at, met);
  }

  hear(event: JobEvent): void {
    if (event.type === 'job_submitted') return this.#submitted(event);
    const { at } = event;
    const { id } = event.job.spec;
    const at_ms = this.#outlet.timeOf(at);
    const job = this.#codes.findJob(id);
    if (job === undefined) return;
    if (event.type === 'job_released') this.#outlet.put({ type: 'job_released', at_ms, job }, at);
    if (event.type === 'job_deleted') this.#codes.forgetJob(id);
    if (event.type !== 'job_finished') return;
    const { status } = event;
    if (status === 'pending' || status === 'running') return; // No job ends so.
    this.#outlet.put({ type: 'job_ended', at_ms, job, status }, at);
  }

  #submitted({ spec, storedBytes, at }: ToldAs<'job_submitted'>): void {
    const { taskCount: tasks, rangeStart, hold: is_held } = spec;
    const bytes = rangeStart === null ? (storedBytes ?? null) : null;
    const input_bytes = bytes === null ? null : Math.round(bytes / tasks);
    this.#add(spec, at, { tasks, is_from_before: false, is_held, input_bytes });
  }

  #add(spec: JobSpec, at: number, met: Met): number {
    const job = this.#codes.addJob(spec.id);
    const { speculation, taskPriorities } = spec;
    const record: RecordOf<'job'> = {
      type: 'job',
      at_ms: this.#outlet.timeOf(at),
      job,
      ...met,
      priority: spec.priority,
      task_priorities:
        met.is_from_before || taskPriorities === null ? null : runsOf(taskPriorities),
      requirements: this.#codes.requirements(spec.requirements),
      speculation:
        speculation === null
          ? null
          : { max_copies: speculation.maxCopies, max_share: speculation.maxShare },
      max_attempts: spec.maxAttempts,
      max_lost_attempts: spec.maxLostAttempts,
      checkpoint_interval_ms: spec.checkpointIntervalMs,
    };
    this.#outlet.put(record, at);
    return job;
  }
}

/** Null: there are too many. */
function runsOf(priorities: Int16Array): [number, number][] | null {
  const runs: [number, number][] = [];
  for (const priority of priorities) {
    const last = runs.at(-1);
    if (last?.[1] === priority) last[0]++;
    else if (runs.length === mostRuns) return null;
    else runs.push([1, priority]);
  }
  return runs;
}
