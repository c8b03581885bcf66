// Every attempt of a run, a row each, as the coordinator told of it after its commits.

import type { ToldAs, ToldEvent } from '../../core/told-events.ts';

export type Outcome = 'completed' | Exclude<ToldAs<'attempt_ended'>['outcome'], 'withdrawn'>;

/** Times are in milliseconds from the beginning of the run. */
export interface AttemptRow {
  /** Place of the job among those that were submitted. */
  readonly job: number;
  readonly index: number;
  readonly attempt: number;
  /** Place of the device in the plan. */
  readonly device: number;
  readonly assignedAt: number;
  /** Null: it never began. */
  readonly startedAt: number | null;
  readonly endedAt: number;
  readonly outcome: Outcome;
  readonly checkpoints: number;
  /** Of the checkpoint that it went on from; null: from the start. */
  readonly resumedFrom: number | null;
}

export interface AttemptNames {
  readonly job: (jobId: string) => number;
  readonly device: (workerId: string) => number;
  /** Milliseconds since the epoch at which the run begins. */
  readonly beganAt: number;
}

export class AttemptLog {
  readonly rows: AttemptRow[] = [];
  readonly #names: AttemptNames;

  constructor(names: AttemptNames) {
    this.#names = names;
  }

  observe(event: ToldEvent): void {
    if (event.type === 'task_completed') this.#completed(event);
    if (event.type === 'attempt_ended' && event.outcome !== 'withdrawn') {
      this.#ended(event, event.outcome);
    }
  }

  #completed({
    task,
    attempt,
    workerId,
    finished,
    startedAt,
    runMs,
    at,
  }: ToldAs<'task_completed'>) {
    const assignedAt = finished?.assignedAt ?? null;
    // Of a short attempt the start is counted back by the clock of its device, which has parts of a millisecond.
    const began = Math.max(startedAt ?? at - runMs, assignedAt ?? 0);
    this.#add({
      job: this.#names.job(task.job.spec.id),
      index: task.index,
      attempt,
      device: this.#names.device(workerId),
      assignedAt: assignedAt ?? began,
      startedAt: began,
      endedAt: at,
      outcome: 'completed',
      checkpoints: finished?.checkpoints ?? 0,
      resumedFrom: finished?.resumedFrom?.progress ?? null,
    });
  }

  #ended({ attempt, startedAt, at }: ToldAs<'attempt_ended'>, outcome: Outcome): void {
    const { task, worker, assignedAt, checkpoints, resumedFrom } = attempt;
    this.#add({
      job: this.#names.job(task.job.spec.id),
      index: task.index,
      attempt: attempt.attempt,
      device: this.#names.device(worker.id),
      assignedAt,
      startedAt,
      endedAt: at,
      outcome,
      checkpoints,
      resumedFrom: resumedFrom?.progress ?? null,
    });
  }

  #add(row: AttemptRow): void {
    const { beganAt } = this.#names;
    this.rows.push({
      ...row,
      assignedAt: row.assignedAt - beganAt,
      startedAt: row.startedAt === null ? null : row.startedAt - beganAt,
      endedAt: row.endedAt - beganAt,
    });
  }
}
