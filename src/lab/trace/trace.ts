// A trace as it is asked about: what belongs to each job and to each worker. Numbers are those of the file.

import type { ReadRecords } from './read-records.ts';
import type { RecordOf, TraceHead, TraceRecord } from './trace-format.ts';

export interface Trace {
  readonly head: TraceHead;
  /** In their order; the first is that of the beginning. */
  readonly schedulers: readonly RecordOf<'scheduler'>[];
  readonly jobs: readonly TracedJob[];
  readonly workers: readonly TracedWorker[];
  readonly attempts: readonly RecordOf<'attempt'>[];
  readonly leftOut: { readonly telemetry: number; readonly others: number };
  /** Of the newest record. */
  readonly endedMs: number;
  /** `cut`: there is no last record, so its coordinator did not end in order. */
  readonly end: RecordOf<'end'>['why'] | 'cut';
}

export interface TracedJob {
  readonly job: number;
  readonly submitted: RecordOf<'job'>;
  /** When it was released first; null: it was not. */
  releasedMs: number | null;
  /** Null: it was not over at the end. */
  ended: { readonly atMs: number; readonly status: RecordOf<'job_ended'>['status'] } | null;
  readonly attempts: RecordOf<'attempt'>[];
}

/** Comings and goings. */
export type Move = RecordOf<'worker_joined' | 'worker_gone' | 'worker_paused' | 'worker_resumed'>;

export interface TracedWorker {
  readonly worker: number;
  /** As it described itself last; null: it never did. */
  described: RecordOf<'worker_joined'> | null;
  readonly moves: Move[];
  readonly samples: RecordOf<'telemetry'>[];
  readonly attempts: RecordOf<'attempt'>[];
}

export function assembleTrace({ head, records }: ReadRecords): Trace {
  const trace = new Assembly();
  for (const record of records) trace.add(record);
  return {
    head,
    schedulers: trace.schedulers,
    jobs: inOrder(trace.jobs),
    workers: inOrder(trace.workers),
    attempts: trace.attempts,
    leftOut: trace.leftOut,
    endedMs: trace.endedMs,
    end: trace.end,
  };
}

class Assembly {
  readonly schedulers: RecordOf<'scheduler'>[] = [];
  readonly jobs = new Map<number, TracedJob>();
  readonly workers = new Map<number, TracedWorker>();
  readonly attempts: RecordOf<'attempt'>[] = [];
  readonly leftOut = { telemetry: 0, others: 0 };
  endedMs = 0;
  end: Trace['end'] = 'cut';

  add(record: TraceRecord): void {
    this.endedMs = Math.max(this.endedMs, 'at_ms' in record ? record.at_ms : record.ended_ms);
    switch (record.type) {
      case 'scheduler':
        this.schedulers.push(record);
        return;
      case 'job': {
        const { job } = record;
        const traced = { job, submitted: record, releasedMs: null, ended: null, attempts: [] };
        this.jobs.set(job, traced);
        return;
      }
      case 'job_released': {
        const job = this.jobs.get(record.job);
        if (job !== undefined) job.releasedMs ??= record.at_ms;
        return;
      }
      case 'job_ended': {
        const job = this.jobs.get(record.job);
        if (job !== undefined) job.ended = { atMs: record.at_ms, status: record.status };
        return;
      }
      case 'attempt':
        return this.#attempt(record);
      case 'telemetry':
        this.#worker(record.worker).samples.push(record);
        return;
      case 'worker_joined': {
        const worker = this.#worker(record.worker);
        worker.described = record;
        worker.moves.push(record);
        return;
      }
      case 'worker_gone':
      case 'worker_paused':
      case 'worker_resumed':
        this.#worker(record.worker).moves.push(record);
        return;
      case 'cleared':
        return this.#clear(record.at_ms);
      case 'left_out':
        this.leftOut.telemetry += record.telemetry;
        this.leftOut.others += record.others;
        return;
      case 'end':
        this.end = record.why;
        return;
    }
  }

  /** One whose job or worker was left out of the trace is left out, too. */
  #attempt(attempt: RecordOf<'attempt'>): void {
    const job = this.jobs.get(attempt.job);
    if (job === undefined) return;
    this.attempts.push(attempt);
    job.attempts.push(attempt);
    this.#worker(attempt.worker).attempts.push(attempt);
  }

  #clear(at_ms: number): void {
    for (const job of this.jobs.values()) job.ended ??= { atMs: at_ms, status: 'cancelled' };
    for (const { worker, moves } of this.workers.values()) {
      moves.push({ type: 'worker_gone', at_ms, worker, why: 'removed' });
    }
  }

  #worker(worker: number): TracedWorker {
    let found = this.workers.get(worker);
    if (found === undefined) {
      found = { worker, described: null, moves: [], samples: [], attempts: [] };
      this.workers.set(worker, found);
    }
    return found;
  }
}

function inOrder<T>(byNumber: ReadonlyMap<number, T>): T[] {
  return [...byNumber].sort(([a], [b]) => a - b).map(([, value]) => value);
}
