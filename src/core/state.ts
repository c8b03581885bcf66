// Everything the core knows. One owner: the writer loop decides on it and applies events to it.

import type { CheckpointState } from './commands.ts';
import { Deadlines } from './deadlines.ts';
import { isFree, isInMatrix } from './eligibility.ts';
import { Queue } from './queue.ts';
import type {
  AnyDeadline,
  AttemptRecord,
  CheckpointRecord,
  EndedAttempt,
  JobRecord,
  RecoveryRecord,
  RetentionDeadline,
  TaskRecord,
  WorkerRecord,
} from './records.ts';
import type { NotificationRecord } from './notifications.ts';
import type { CoreSettings } from './settings.ts';
import {
  type AlgorithmId,
  defaultWeights,
  type SchedulerConfig,
  type Snapshot,
} from './snapshot.ts';
import { noTotals, type Totals } from './totals.ts';

export interface State {
  readonly settings: CoreSettings;
  generation: number;
  config: SchedulerConfig;
  /** Jobs with open work, and visitors: others that were read from the store for one batch. */
  readonly jobs: Map<string, JobRecord>;
  readonly workers: Map<string, WorkerRecord>;
  /**
   * So many were registered at a time since the start. It does not fall: some may still keep to the interval that
   * they were told when there were so many.
   */
  mostWorkers: number;
  readonly queue: Queue;
  readonly deadlines: Deadlines<AnyDeadline>;
  readonly retention: RetentionDeadline;
  /** No job is removed for its age before: the clock has jumped forward; volatile. */
  expiriesHeldUntil: number;
  readonly counters: Counters;
  /** The same of each owner that has jobs, except the admin. */
  readonly ownerCounters: Map<string, Counters>;
  readonly totals: Totals;
  readonly dirty: Dirty;
  /** Rises whenever the matrix or anything observed changes; see `Snapshot.version`. */
  snapshotVersion: number;
  /** Rows of the newest snapshot; undefined once a worker has entered or left the matrix, or changed its slots. */
  matrixRows: readonly WorkerRecord[] | undefined;
  /** Most slots of a worker in `matrixRows`. */
  mostSlots: number;
  /** Every worker that can be given something now is among them; see `findFree`. */
  readonly maybeFree: Set<WorkerRecord>;
  /** Every worker that holds more attempts than it has slots is among them. */
  readonly maybeOverfull: Set<WorkerRecord>;
  /** Id of the next recovery event. */
  nextRecoveryId: number;
  nextCheckpointId: number;
  /** Above those of all that are kept. */
  nextNotificationId: number;
  /** When the process before this one was last alive, and how long none was; null at the first start. */
  readonly restart: { readonly lastAliveAt: number; readonly downMs: number } | null;
  /** Something happened that may let a task be placed. */
  wantsPass: boolean;
}

/** Totals that are asked for often, kept beside the records they count. */
export interface Counters {
  jobs: number;
  pendingJobs: number;
  runningJobs: number;
  completedJobs: number;
  failedJobs: number;
  cancelledJobs: number;
  /** Tasks of all jobs, and those of them that completed. */
  tasks: number;
  tasksCompleted: number;
  /** Tasks that have not ended, of jobs that have not: waiting, held and running ones. */
  openTasks: number;
  /** What the jobs of owners keep (`JobRecord.storedBytes`); what the admin's keep is not counted. */
  storedBytes: number;
  decisions: number;
  /** Those of each algorithm that has made any, since the start. */
  decisionsBy: Partial<Record<AlgorithmId, number>>;
}

/** What has changed since the last commit and must be written with the next. */
export interface Dirty {
  readonly jobs: Set<JobRecord>;
  readonly tasks: Set<TaskRecord>;
  readonly workers: Set<WorkerRecord>;
  readonly deregistered: { readonly worker: WorkerRecord; readonly mayReturn: boolean }[];
  readonly ended: EndedAttempt[];
  readonly recoveries: Set<RecoveryRecord>;
  /** By id. */
  readonly notifications: Map<number, NotificationRecord>;
  readonly deleted: JobRecord[];
  readonly checkpoints: { readonly record: CheckpointRecord; readonly state: CheckpointState }[];
  /** Ids of checkpoints whose state is not needed any more. */
  readonly droppedStates: number[];
  config: boolean;
  /** What was in force before any was noted. */
  firstConfig: SchedulerConfig | null;
  generation: boolean;
}

export function createState(
  settings: CoreSettings,
  config: SchedulerConfig,
  restart: State['restart'] = null,
): State {
  return {
    settings,
    generation: 1,
    config,
    jobs: new Map(),
    workers: new Map(),
    mostWorkers: 0,
    queue: new Queue(),
    deadlines: new Deadlines(),
    retention: { kind: 'retention', at: 0, position: -1 },
    expiriesHeldUntil: -Infinity,
    counters: emptyCounters(),
    ownerCounters: new Map(),
    totals: noTotals(),
    dirty: {
      jobs: new Set(),
      tasks: new Set(),
      workers: new Set(),
      deregistered: [],
      ended: [],
      recoveries: new Set(),
      notifications: new Map(),
      deleted: [],
      checkpoints: [],
      droppedStates: [],
      config: false,
      firstConfig: null,
      generation: false,
    },
    snapshotVersion: 1,
    matrixRows: undefined,
    mostSlots: 0,
    maybeFree: new Set(),
    maybeOverfull: new Set(),
    nextRecoveryId: 1,
    nextCheckpointId: 1,
    nextNotificationId: 1,
    restart,
    wantsPass: true,
  };
}

/** Unmarks all records: they have been written, or belong to a generation that is gone. */
export function forgetChanges(dirty: Dirty): void {
  dirty.jobs.clear();
  dirty.tasks.clear();
  dirty.workers.clear();
  dirty.deregistered.length = 0;
  dirty.ended.length = 0;
  dirty.recoveries.clear();
  dirty.notifications.clear();
  dirty.deleted.length = 0;
  dirty.checkpoints.length = 0;
  dirty.droppedStates.length = 0;
}

export function emptyCounters(): Counters {
  return {
    jobs: 0,
    pendingJobs: 0,
    runningJobs: 0,
    completedJobs: 0,
    failedJobs: 0,
    cancelledJobs: 0,
    tasks: 0,
    tasksCompleted: 0,
    openTasks: 0,
    storedBytes: 0,
    decisions: 0,
    decisionsBy: {},
  };
}

/** The attempt that holds its task by this token now. */
export function findLive(
  { jobs }: State,
  jobId: string,
  index: number,
  token: string,
): AttemptRecord | undefined {
  const task = jobs.get(jobId)?.tasks.get(index);
  return task?.live.find((attempt) => attempt.token === token);
}

/** A snapshot whose rows are known to be records. */
export type RecordSnapshot = Omit<Snapshot, 'workers'> & {
  readonly workers: readonly WorkerRecord[];
};

/** The view for schedulers. Maps keep insertion order, which is the order of registration. */
export function takeSnapshot(state: State): RecordSnapshot {
  if (state.matrixRows === undefined) {
    state.matrixRows = [...state.workers.values()].filter(isInMatrix);
    state.mostSlots = 0;
    state.matrixRows.forEach((worker, row) => {
      worker.row = row;
      state.mostSlots = Math.max(state.mostSlots, worker.slots);
    });
  }
  return { workers: state.matrixRows, version: state.snapshotVersion };
}

/** The workers that can be given something now; looks only at those of which something has changed. */
export function findFree({ maybeFree }: State): WorkerRecord[] {
  const free: WorkerRecord[] = [];
  for (const worker of maybeFree) {
    if (isFree(worker)) free.push(worker);
    else maybeFree.delete(worker);
  }
  return free;
}

/** The workers that hold more attempts than they have slots. */
export function findOverfull({ maybeOverfull }: State): WorkerRecord[] {
  const overfull: WorkerRecord[] = [];
  for (const worker of maybeOverfull) {
    if (worker.activeTasks > worker.slots) overfull.push(worker);
    else maybeOverfull.delete(worker);
  }
  return overfull;
}

export const defaultSchedulerConfig: SchedulerConfig = {
  algorithm: 'fifo',
  weighting: 'manual',
  weights: defaultWeights,
  updatedAt: 0,
};
