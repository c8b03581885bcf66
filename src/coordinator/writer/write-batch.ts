// Makes rows of what a batch has changed. A task that was assigned and completed within one batch is
// one row.

import type {
  AttemptRecord,
  EndedAttempt,
  JobRecord,
  RecoveryRecord,
  TaskRecord,
  WorkerRecord,
} from '../../core/records.ts';
import type { SchedulerConfig } from '../../core/snapshot.ts';
import { forgetChanges, type State } from '../../core/state.ts';
import type { ToldEvent } from '../../core/told-events.ts';
import { copyTotals } from '../../core/totals.ts';
import type {
  AttemptRow,
  AuditEntry,
  BlobReference,
  IdempotencyRow,
  JobPayload,
  JobRow,
  NewCheckpoint,
  RecoveryRow,
  TaskRow,
  TokenRow,
  TraceRow,
  WorkerRow,
  WriteBatch,
} from '../../store/rows.ts';
import { tallyWork } from './work-tally.ts';

/** What is written beside the records that the commands of a batch have changed. */
export interface BatchContents {
  readonly at: number;
  readonly events: readonly ToldEvent[];
  readonly payloads: readonly JobPayload[];
  readonly blobReferences: readonly BlobReference[];
  readonly traces: readonly TraceRow[];
  readonly idempotencyKeys: ReadonlyMap<string, IdempotencyRow>;
  readonly tokens: readonly TokenRow[];
  readonly revokedTokens: readonly string[];
  readonly droppedTokens: readonly string[];
  readonly audit: readonly AuditEntry[];
}

/** Undefined when nothing durable has changed. */
export function takeWriteBatch(
  state: State,
  sequence: number,
  contents: BatchContents,
): WriteBatch | undefined {
  const { at, events, payloads, blobReferences, traces, idempotencyKeys } = contents;
  const { tokens, revokedTokens, droppedTokens } = contents;
  const { dirty } = state;
  const isEmpty =
    dirty.jobs.size + dirty.tasks.size + dirty.workers.size + dirty.recoveries.size === 0 &&
    dirty.deregistered.length + dirty.ended.length + dirty.deleted.length === 0 &&
    dirty.notifications.size + dirty.checkpoints.length + dirty.droppedStates.length === 0 &&
    payloads.length +
      traces.length +
      tokens.length +
      revokedTokens.length +
      droppedTokens.length +
      contents.audit.length ===
      0 &&
    !dirty.config &&
    !dirty.generation;
  if (isEmpty) return undefined;
  return {
    sequence,
    jobs: Array.from(dirty.jobs, jobRow),
    tasks: Array.from(dirty.tasks, taskRow),
    attempts: dirty.ended.map(attemptRow),
    traces,
    workers: [
      ...Array.from(dirty.workers, (worker) => workerRow(worker)),
      ...dirty.deregistered.map(({ worker, mayReturn }) => removedRow(worker, mayReturn, at)),
    ],
    recoveries: Array.from(dirty.recoveries, recoveryRow),
    notifications: [...dirty.notifications.values()],
    checkpoints: newCheckpoints(state),
    droppedStates: [...dirty.droppedStates],
    blobReferences,
    idempotencyKeys: [...idempotencyKeys.values()],
    tokens,
    revokedTokens,
    droppedTokens,
    work: tallyWork(events, at, state.generation),
    deletedJobs: dirty.deleted.map((job) => job.spec.key),
    payloads,
    totals: copyTotals(state.totals),
    config: dirty.config ? state.config : null,
    schedulerChanges: [
      ...(dirty.firstConfig === null ? [] : [dirty.firstConfig]),
      ...(dirty.config ? events.flatMap(configured) : []),
    ],
    generation: dirty.generation ? state.generation : null,
    audit: contents.audit,
  };
}

function configured(event: ToldEvent): readonly SchedulerConfig[] {
  return event.type === 'scheduler_configured' ? [event.config] : [];
}

/** After the commit: memory keeps what is open and forgets the rest. */
export function settleMemory(state: State): void {
  const { dirty } = state;
  for (const task of dirty.tasks) {
    task.resultJson = null;
    if (task.live.length === 0 && task.status !== 'pending') task.job.tasks.delete(task.index);
  }
  for (const job of dirty.jobs) {
    if (job.completedAt !== null) state.jobs.delete(job.spec.id);
  }
  forgetChanges(dirty);
  dirty.config = false;
  dirty.firstConfig = null;
  dirty.generation = false;
}

export function jobRow(job: JobRecord): JobRow {
  return {
    spec: job.spec,
    status: job.status,
    completed: job.counts.completed,
    failed: job.counts.failed,
    cancelled: job.counts.cancelled,
    cursors: job.entries.map((entry) => entry.cursor),
    startedAt: job.startedAt,
    completedAt: job.completedAt,
    cancelledAt: job.cancelledAt,
    heldAt: job.heldAt,
    error: job.error,
    storedBytes: job.storedBytes,
  };
}

export function taskRow(task: TaskRecord): TaskRow {
  const { live, attempt } = task;
  const newest = live.find((each) => each.attempt === attempt);
  return {
    jobKey: task.job.spec.key,
    index: task.index,
    status: task.status === 'running' ? 'assigned' : task.status,
    attempt,
    workerId: task.workerId,
    token: newest?.token ?? task.accepted?.token ?? null,
    others: live.length > 1 || newest === undefined ? otherRows(task, newest) : noOthers,
    runBeforeMs: newest?.runBeforeMs ?? null,
    acceptedAttempt: task.accepted?.attempt ?? null,
    errors: task.errors,
    losses: task.losses,
    timeouts: task.timeouts,
    notBefore: task.notBefore,
    avoid: task.avoid,
    assignedAt: task.assignedAt,
    startedAt: task.startedAt,
    completedAt: task.completedAt,
    runMs: task.runMs,
    errorType: task.error?.type ?? null,
    errorMessage: task.error?.message ?? null,
    account: task.accepted?.account ?? null,
    resultJson: task.resultJson,
  };
}

const noOthers: TaskRow['others'] = [];

function otherRows({ live }: TaskRecord, newest: AttemptRecord | undefined): TaskRow['others'] {
  return live
    .filter((each) => each !== newest)
    .map(({ attempt, worker, token, assignedAt, runBeforeMs }) => ({
      attempt,
      workerId: worker.id,
      token,
      assignedAt,
      runBeforeMs,
    }));
}

/** Checkpoints to insert. The state of one that the same batch has dropped again is not written. */
function newCheckpoints({ dirty }: State): readonly NewCheckpoint[] {
  const dropped = new Set(dirty.droppedStates);
  return dirty.checkpoints.map(({ record, state }) => {
    const { task, ...rest } = record;
    const { key: jobKey, id: jobId } = task.job.spec;
    const row = { ...rest, jobKey, jobId, index: task.index };
    return { row, state: dropped.has(record.id) ? null : state };
  });
}

function attemptRow(ended: EndedAttempt): AttemptRow {
  const { job, index, attempt, count, workerId, token, outcome } = ended;
  const { errorType, errorMessage, assignedAt, startedAt, endedAt, account } = ended;
  return {
    jobKey: job.spec.key,
    jobId: job.spec.id,
    index,
    attempt,
    count,
    workerId,
    token,
    outcome,
    errorType,
    errorMessage,
    assignedAt,
    startedAt,
    endedAt,
    account,
  };
}

/** Of one that has done nothing and may return, nobody needs to know: it goes like a cleared one. */
function removedRow(worker: WorkerRecord, mayReturn: boolean, at: number): WorkerRow {
  const { totalCompleted, totalFailed } = worker;
  const isNobody = mayReturn && totalCompleted + totalFailed === 0;
  const row = { ...workerRow(worker), mayReturn, deregisteredAt: at };
  return isNobody ? { ...row, generation: 0 } : row;
}

export function workerRow(worker: WorkerRecord): WorkerRow {
  return {
    id: worker.id,
    key: worker.key,
    generation: worker.generation,
    tokenHash: worker.tokenHash,
    name: worker.name,
    type: worker.type,
    platform: worker.platform,
    slots: worker.slots,
    kinds: worker.kinds,
    runtimes: worker.runtimes,
    hands: worker.hands,
    labels: worker.labels,
    isolation: worker.isolation,
    version: worker.version,
    leaseMs: worker.leaseMs,
    leaseNowMs: worker.leaseNowMs,
    taskMemoryMb: worker.taskMemoryMb,
    registeredAt: worker.registeredAt,
    joined: worker.joined,
    givenName: worker.givenName,
    waitsUntil: worker.waitsUntil,
    draining: worker.draining,
    quarantine: worker.quarantine,
    deregisteredAt: null,
    mayReturn: false,
    awaySince: worker.awaySince,
    totalCompleted: worker.totalCompleted,
    totalFailed: worker.totalFailed,
    busyMs: worker.busyMs,
    smoothedTaskMs: worker.smoothedTaskMs,
    energyJoules: worker.energyJoules,
  };
}

export function recoveryRow(recovery: RecoveryRecord): RecoveryRow {
  const { task, ...rest } = recovery;
  const { spec } = task.job;
  return { ...rest, jobKey: spec.key, jobId: spec.id, index: task.index };
}
