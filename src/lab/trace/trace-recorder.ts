// Makes records of what a coordinator tells after its commits. It knows no file: what is to be written is handed on.

import type { JobRecord, WorkerRecord } from '../../core/records.ts';
import type { SchedulerConfig } from '../../core/snapshot.ts';
import type { ToldEvent } from '../../core/told-events.ts';
import { AttemptBook } from './attempt-book.ts';
import { CodeBook } from './code-book.ts';
import { JobBook } from './job-book.ts';
import { Outlet, type Write } from './outlet.ts';
import { WorkerBook } from './worker-book.ts';

export interface RecordingBegin {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly config: SchedulerConfig;
  readonly workers: Iterable<WorkerRecord>;
  /** Those with open work, and maybe others. */
  readonly jobs: Iterable<JobRecord>;
}

export class TraceRecorder {
  readonly #outlet: Outlet;
  readonly #jobs: JobBook;
  readonly #attempts: AttemptBook;
  readonly #workers: WorkerBook;

  constructor(write: Write) {
    const codes = new CodeBook();
    this.#outlet = new Outlet(write);
    this.#jobs = new JobBook(this.#outlet, codes);
    this.#attempts = new AttemptBook(this.#outlet, codes, this.#jobs);
    this.#workers = new WorkerBook(this.#outlet, codes);
  }

  /** What there is already, at the moment at which it was seen; `hear` goes on from there. */
  begin({ at, config, workers, jobs }: RecordingBegin): void {
    this.#outlet.begin(at);
    this.#scheduler(config, at);
    for (const worker of workers) this.#workers.begin(worker, at);
    for (const job of jobs) this.#jobs.begin(job, at);
  }

  /** In the time of the trace. */
  timeOf(at: number): number {
    return this.#outlet.timeOf(at);
  }

  /** In the order in which they were told. */
  hear(events: readonly ToldEvent[]): void {
    for (const event of events) this.#hearOne(event);
  }

  #hearOne(event: ToldEvent): void {
    switch (event.type) {
      case 'clock_set':
        return this.#outlet.clockSet(event.byMs);
      case 'scheduler_configured':
        return this.#scheduler(event.config, event.at);
      case 'database_cleared':
        return this.#cleared(event.at);
      case 'job_submitted':
      case 'job_released':
      case 'job_finished':
      case 'job_deleted':
        return this.#jobs.hear(event);
      case 'task_completed':
        return this.#attempts.completed(event);
      case 'attempt_ended':
        return this.#attempts.ended(event);
      case 'checkpoint_saved':
        return this.#attempts.saved(event);
      default:
        return this.#workers.hear(event);
    }
  }

  #scheduler({ algorithm, weighting, weights: { ...weights } }: SchedulerConfig, at: number): void {
    const at_ms = this.#outlet.timeOf(at);
    this.#outlet.put({ type: 'scheduler', at_ms, algorithm, weighting, weights }, at);
  }

  #cleared(at: number): void {
    this.#outlet.put({ type: 'cleared', at_ms: this.#outlet.timeOf(at) }, at);
    this.#workers.clear();
  }
}
