// Attempts that are live, and those that are over, of which the newest are kept: who did what when.

import type { AttemptRecord, WorkerRecord } from '../../core/records.ts';
import type { State } from '../../core/state.ts';
import { taskId } from '../../core/task-key.ts';
import type { AttemptHistory, AttemptOfHistory } from '../../protocol/evaluation.ts';
import type { Reading } from '../../store/reading.ts';
import { isoTime } from '../iso-time.ts';
import type { AttemptsAsked } from '../port/reads.ts';
import type { AttemptRing, OverRow, RowsAsked } from '../streams/attempt-ring.ts';
import type { WriterLoop } from '../writer/writer-loop.ts';

export interface AttemptReadOptions {
  readonly state: Pick<State, 'jobs' | 'workers'>;
  readonly store: Pick<Reading, 'findJobHead'>;
  readonly loop: Pick<WriterLoop, 'settled'>;
  readonly ring: AttemptRing;
  /** Resolves after other work had a turn of the event loop. */
  readonly turn: () => Promise<void>;
}

/** Attempts of which the texts are made before others have their turn. */
const chunkRows = 1_000;

export class AttemptReads {
  readonly #options: AttemptReadOptions;

  constructor(options: AttemptReadOptions) {
    this.#options = options;
  }

  /** Undefined: no such job. */
  async find(asked: AttemptsAsked): Promise<AttemptHistory | undefined> {
    const { ring, loop, turn } = this.#options;
    await loop.settled();
    if (!(await this.#hasJob(asked))) return undefined;
    await loop.settled();
    // All of it is seen at one moment.
    const live = this.#live(asked).sort(newestFirst);
    const over = ring.find(asked, Math.max(0, asked.limit - live.length));
    const keptSince = isoTime(ring.keptSince);
    const attempts: AttemptOfHistory[] = live.slice(0, asked.limit).map(liveAttempt);
    for (let from = 0; from < over.rows.length; from += chunkRows) {
      await turn();
      for (const row of over.rows.slice(from, from + chunkRows)) attempts.push(overAttempt(row));
    }
    const leftOut = live.length + over.count - attempts.length;
    return { kept_since: keptSince, left_out: leftOut, attempts };
  }

  async #hasJob({ jobId, owner }: AttemptsAsked): Promise<boolean> {
    if (jobId === undefined) return true;
    const { state, store } = this.#options;
    const found = state.jobs.get(jobId) ?? (await store.findJobHead(jobId));
    return found !== undefined && (owner === undefined || found.spec.owner === owner);
  }

  #live(asked: AttemptsAsked): AttemptRecord[] {
    const found: AttemptRecord[] = [];
    for (const worker of this.#workers(asked)) {
      for (const attempt of worker.attempts) if (isAsked(attempt, asked)) found.push(attempt);
    }
    return found;
  }

  #workers({ workerId }: AttemptsAsked): Iterable<WorkerRecord> {
    const { workers } = this.#options.state;
    if (workerId === undefined) return workers.values();
    const worker = workers.get(workerId);
    return worker === undefined ? [] : [worker];
  }
}

function isAsked({ task, assignedAt }: AttemptRecord, { jobId, owner, until }: RowsAsked): boolean {
  const { spec } = task.job;
  if (jobId !== undefined && spec.id !== jobId) return false;
  if (owner !== undefined && spec.owner !== owner) return false;
  return until === undefined || assignedAt < until;
}

function newestFirst(a: AttemptRecord, b: AttemptRecord): number {
  return b.assignedAt - a.assignedAt || b.task.index - a.task.index || b.attempt - a.attempt;
}

function liveAttempt(live: AttemptRecord): AttemptOfHistory {
  const { task, attempt, worker, slot, assignedAt, startedAt, progress, checkpoints } = live;
  const { id } = task.job.spec;
  return {
    job_id: id,
    task_id: taskId(id, task.index),
    index: task.index,
    attempt,
    worker_id: worker.id,
    slot,
    status: startedAt === null ? 'assigned' : 'running',
    assigned_at: isoTime(assignedAt),
    started_at: startedAt === null ? null : isoTime(startedAt),
    ended_at: null,
    progress,
    resumed_from_progress: live.resumedFrom?.progress ?? null,
    resumed_from_attempt: live.resumedFrom?.attempt ?? null,
    checkpoints,
    error_type: null,
  };
}

function overAttempt(row: OverRow): AttemptOfHistory {
  const { id } = row.job;
  return {
    job_id: id,
    task_id: taskId(id, row.index),
    index: row.index,
    attempt: row.attempt,
    worker_id: row.workerId,
    slot: row.slot,
    status: row.status,
    assigned_at: isoTime(row.assignedAt),
    started_at: row.startedAt === null ? null : isoTime(row.startedAt),
    ended_at: isoTime(row.endedAt),
    progress: row.progress,
    resumed_from_progress: row.resumedFrom?.progress ?? null,
    resumed_from_attempt: row.resumedFrom?.attempt ?? null,
    checkpoints: row.checkpoints,
    error_type: row.errorType,
  };
}
