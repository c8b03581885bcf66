// Attempts as a trace tells them: at their end.

import type { OverAttempt, ToldAs } from '../../core/told-events.ts';
import type { CodeBook } from './code-book.ts';
import type { JobBook } from './job-book.ts';
import type { Outlet } from './outlet.ts';
import type { RecordOf } from './trace-format.ts';

/** What was seen of the checkpoints of a live attempt. */
interface Saved {
  count: number;
  bytes: number;
}

type Resumption = Pick<
  RecordOf<'attempt'>,
  'checkpoints' | 'checkpoint_bytes' | 'resumed_from' | 'run_before_ms'
>;

export class AttemptBook {
  readonly #outlet: Outlet;
  readonly #codes: CodeBook;
  readonly #jobs: JobBook;
  /** By the attempt, which is the same object from its begin to its end. */
  readonly #saved = new WeakMap<object, Saved>();

  constructor(outlet: Outlet, codes: CodeBook, jobs: JobBook) {
    this.#outlet = outlet;
    this.#codes = codes;
    this.#jobs = jobs;
  }

  saved({ attempt, command }: ToldAs<'checkpoint_saved'>): void {
    const saved = this.#saved.get(attempt) ?? { count: 0, bytes: 0 };
    saved.count++;
    saved.bytes += command.storedBytes;
    this.#saved.set(attempt, saved);
  }

  completed(event: ToldAs<'task_completed'>): void {
    const { task, attempt, workerId, finished, startedAt, runMs, at } = event;
    const { cpuSeconds, resultJson } = event;
    const record: RecordOf<'attempt'> = {
      type: 'attempt',
      job: this.#jobs.numberOf(task.job.spec, at),
      index: task.index,
      attempt,
      worker: this.#codes.worker(workerId),
      assigned_ms: this.#timeOf(finished?.assignedAt),
      started_ms: this.#timeOf(startedAt),
      ended_ms: this.#outlet.timeOf(at),
      outcome: 'completed',
      run_ms: runMs,
      cpu_seconds: cpuSeconds,
      ...this.#resumptionOf(finished),
      result_bytes: Buffer.byteLength(resultJson),
    };
    this.#outlet.put(record, at);
  }

  ended({ attempt, outcome, startedAt, runMs, at }: ToldAs<'attempt_ended'>): void {
    if (outcome === 'withdrawn') return;
    // One that fails at once is reported as over alone.
    const began = startedAt ?? (outcome === 'failed' ? at - runMs : null);
    const record: RecordOf<'attempt'> = {
      type: 'attempt',
      job: this.#jobs.numberOf(attempt.task.job.spec, at),
      index: attempt.task.index,
      attempt: attempt.attempt,
      worker: this.#codes.worker(attempt.worker.id),
      assigned_ms: this.#outlet.timeOf(attempt.assignedAt),
      started_ms: this.#timeOf(began),
      ended_ms: this.#outlet.timeOf(at),
      outcome,
      run_ms: began === null ? 0 : runMs,
      cpu_seconds: null,
      ...this.#resumptionOf(attempt),
      result_bytes: null,
    };
    this.#outlet.put(record, at);
  }

  #timeOf(at: number | null | undefined): number | null {
    return at === null || at === undefined ? null : this.#outlet.timeOf(at);
  }

  #resumptionOf(attempt: OverAttempt | null): Resumption {
    const saved = attempt === null ? undefined : this.#saved.get(attempt);
    return {
      checkpoints: attempt?.checkpoints ?? 0,
      checkpoint_bytes: saved === undefined ? null : Math.round(saved.bytes / saved.count),
      resumed_from: attempt?.resumedFrom?.progress ?? null,
      run_before_ms: attempt?.runBeforeMs ?? 0,
    };
  }
}
