// The records of the core. They live in memory while there is open work on them and are written as
// rows at the end of every batch. Payloads (inputs, programs) are not here: they stay in the store.
// Only `apply` writes to a record; everyone else reads.

import type { Deadline } from './deadlines.ts';
import type { HeldWork } from './held-work.ts';
import type { IndexHeap } from './index-heap.ts';
import type { NotifyTarget } from './notifications.ts';
import type { SlotNumbers } from './slots.ts';
import type { Observed, WorkerView } from './snapshot.ts';

export type TaskStatus = 'pending' | 'assigned' | 'running' | 'completed' | 'failed' | 'cancelled';

/** Derived from the tasks, see `job-status.ts`; `cancelled` by the client comes first. */
export type JobStatus = 'pending' | 'running' | 'completed' | 'failed' | 'cancelled';

/** What a client chose for a job, every default filled in. `protocol/job-options.ts` says what each is. */
export interface JobOptions {
  readonly name: string | null;
  readonly clientId: string;
  readonly priority: number;
  /** One priority per index, null when all have the job's. */
  readonly taskPriorities: Int16Array | null;
  readonly maxAttempts: number;
  readonly maxLostAttempts: number;
  readonly retryDelayMs: number;
  readonly attemptTimeoutMs: number | null;
  readonly progressTimeoutMs: number | null;
  readonly onTaskFailure: 'continue' | 'fail_job';
  readonly keepOutput: 'on_failure' | 'always' | 'never';
  /** What its tasks print is told while they run. */
  readonly liveOutput: boolean;
  readonly memoryMb: number;
  readonly lateResults: 'accept' | 'reject';
  readonly requirements: Requirements | null;
  readonly checkpointIntervalMs: number | null;
  /** Null: no copies of attempts that take too long. */
  readonly speculation: Speculation | null;
  /** How long it is kept after its end; null: as all jobs are. */
  readonly retainMs: number | null;
  /** It begins held. */
  readonly hold: boolean;
  /** Who is told of its end; null: nobody. */
  readonly notify: readonly NotifyTarget[] | null;
}

/** What a client asked for. Never changes after the submission. */
export interface JobSpec extends JobOptions {
  readonly id: string;
  /** Position in submission order; the high part of every task key. Unique, only rises. */
  readonly key: number;
  /** The database generation it belongs to; older generations are cleared. */
  readonly generation: number;
  /** Here it is only compared with the kinds that workers run. */
  readonly programKind: string;
  readonly taskCount: number;
  /** First input of a range job, whose inputs are numbers; null when inputs are stored. */
  readonly rangeStart: number | null;
  /** Whose it is, see `owner.ts`. */
  readonly owner: string;
  readonly createdAt: number;
}

export interface Speculation {
  /** Most copies of one task beside the original attempt. */
  readonly maxCopies: number;
  /** Most live copies of a job, as a share of its live attempts; at least one is allowed. */
  readonly maxShare: number;
}

export interface Requirements {
  readonly type?: readonly string[];
  readonly platform?: readonly string[];
  readonly minRamMb?: number;
  readonly minBatteryPercent?: number;
  readonly isolation?: string;
  /** For one task, beyond what every worker gives. */
  readonly taskMemoryMb?: number;
  readonly labels?: Readonly<Record<string, string>>;
  /** What its tasks are handed beside inputs in JSON. */
  readonly hands?: readonly Handed[];
}

/** Bytes as inputs, and a value that all tasks of a job share: workers of before know neither. */
export type Handed = 'bytes' | 'shared';

/** Pending is what remains of `spec.taskCount`. */
export interface TaskCounts {
  assigned: number;
  running: number;
  completed: number;
  failed: number;
  cancelled: number;
}

export interface JobRecord {
  readonly spec: JobSpec;
  readonly counts: TaskCounts;
  /** Open entries: one, or one per distinct priority. */
  readonly entries: readonly EntryRecord[];
  /** Tasks that memory holds, by index: live, waiting for a retry, or visitors of one batch. */
  readonly tasks: Map<number, TaskRecord>;
  /** How far its tasks with a live attempt are together (`task-progress.ts`); volatile. */
  liveMillionths: number;
  /** Its tasks that have not ended, as the counters have them. */
  openTasks: number;
  /**
   * Characters of its program, its inputs and the results that were accepted; only counted for a job that is
   * not the admin's.
   */
  storedBytes: number;
  status: JobStatus;
  /** First evidence that an attempt began. */
  startedAt: number | null;
  completedAt: number | null;
  cancelledAt: number | null;
  /** Since when nothing of it starts; null when it is not held. Left with its end. */
  heldAt: number | null;
  /** Why the job failed, in one sentence. */
  error: string | null;
  /** Exponentially smoothed run time of its tasks in ms, null before the first report. */
  smoothedTaskMs: number | null;
  /**
   * The same of the job before it with the same program, null when nobody knows of one; volatile. Only backlogs go by it,
   * and only until one of its own tasks is measured.
   */
  readonly presumedTaskMs: number | null;
  /** Workers that did not take what they were given of it; volatile, see `refusals.ts`. */
  readonly refusals: Map<WorkerRecord, RefusalPause>;
}

/** What a worker pauses that did not take tasks of a job. Left when it begins one of them. */
export interface RefusalPause {
  /** Offers in a row that it did not take; several at the same time are one. */
  readonly count: number;
  /** It is given nothing of the job before. */
  readonly until: number;
  readonly outcome: 'refused' | 'released';
  /** As the worker says it; null when it said nothing. */
  readonly reason: string | null;
}

/** What a worker has refused in a row, of whichever jobs. */
export interface Unwilling {
  /** Keys of the jobs, up to as many as make it pause. */
  readonly jobs: readonly number[];
  /** Offers that it refused since so many jobs were refused; 0 before. Several at the same time are one. */
  readonly count: number;
  /** It is given nothing at all before. */
  readonly until: number;
  readonly reason: string | null;
}

/** A job (or one priority of it) in the queue of open work. */
export interface EntryRecord {
  readonly job: JobRecord;
  readonly priority: number;
  /** The indices of this entry in order; null when it has all of the job's. */
  readonly indices: Int32Array | null;
  /** How many of its tasks have been assigned at least once: the cursor of the next fresh one. */
  cursor: number;
  /** Indices that wait for another attempt and may have it now. */
  readonly due: IndexHeap;
  /** Invariant: true exactly when it is in the queue: it has fresh or due tasks, and its job is not held. */
  queued: boolean;
}

export interface TaskRecord {
  readonly job: JobRecord;
  readonly index: number;
  status: TaskStatus;
  /** Number of the newest attempt; 0 before the first. Only rises. */
  attempt: number;
  /** Live attempts: one, or with speculation the original and its copies. */
  live: readonly AttemptRecord[];
  /** Ended attempts of which a late or a repeated report may still come. */
  past: readonly PastAttempt[];
  /** Attempts since the last one that began, which nobody took; volatile. */
  untaken: readonly UntakenAttempts[];
  /** Budgets used since the submission or the last `retry` of the job. */
  errors: number;
  losses: number;
  timeouts: number;
  /** Not assigned before this moment, 0 when it may be at once. */
  notBefore: number;
  /** Since when it may have its next attempt; volatile. */
  waitsSince: number;
  /** Armed while the task waits for `notBefore`. */
  retry: TaskDeadline | null;
  /** Workers on which it failed or was lost, newest last, at most 8. */
  avoid: readonly string[];
  /** Worker of the newest attempt. */
  workerId: string | null;
  assignedAt: number | null;
  startedAt: number | null;
  completedAt: number | null;
  /** The accepted attempt of a completed task; its account is held until the commit only. */
  accepted: {
    readonly attempt: number;
    readonly token: string;
    readonly account: AcceptedAccount | null;
  } | null;
  /** JSON text of the accepted result, held until the commit only. */
  resultJson: string | null;
  runMs: number | null;
  error: TaskError | null;
  /** The recovery event of its newest loss, until the next attempt has started. */
  recovery: RecoveryRecord | null;
  /** Checkpoints whose state is kept, oldest first: at most two, none of a completed or cancelled task. */
  checkpoints: readonly CheckpointRecord[];
}

/** Saved progress of a task, from which its next attempt resumes. The state is in the store. */
export interface CheckpointRecord {
  /** Rises with every checkpoint that was ever taken. */
  readonly id: number;
  readonly task: TaskRecord;
  readonly attempt: number;
  /** Counts within the attempt, from 1; only rises. */
  readonly sequence: number;
  readonly workerId: string;
  /** 0 to 1. */
  readonly progress: number;
  /** Of the state as JSON text. */
  readonly sizeBytes: number;
  /** As it is stored. */
  readonly storedBytes: number;
  /** SHA-256 of the JSON text, hex. */
  readonly sha256: string;
  /** Run time behind it in ms, earlier attempts that it builds on included. */
  readonly runMs: number;
  readonly createdAt: number;
}

/** The record that an attempt which had started was lost, and of what its task resumed from. */
export interface RecoveryRecord {
  readonly id: number;
  readonly task: TaskRecord;
  readonly fromWorkerId: string;
  readonly reason: RecoveryReason;
  readonly attempt: number;
  readonly lostAt: number;
  /** Run time of the lost attempt that has to be done again. */
  readonly timeLostSeconds: number;
  workSavedSeconds: number;
  checkpointId: string | null;
  resumedFromProgress: number | null;
  /** Filled at the next assignment. */
  toWorkerId: string | null;
  nextAttempt: number | null;
  /** When the next attempt started. */
  resumedAt: number | null;
  outcome: 'requeued' | 'resumed' | 'restarted' | 'adopted' | 'failed';
}

export type RecoveryReason =
  | 'worker_lost'
  | 'connection_lost'
  | 'deregistered'
  | 'attempt_timeout'
  /** The worker drains or leaves: the attempt was handed over, or given back. */
  | 'worker_drained'
  /** The worker rests, and gave it back. */
  | 'worker_rests'
  | 'coordinator_restart'
  | 'straggler';

export interface TaskError {
  readonly type: string;
  readonly message: string;
}

export interface AttemptRecord {
  readonly task: TaskRecord;
  readonly attempt: number;
  readonly worker: WorkerRecord;
  readonly token: string;
  assignedAt: number;
  /** From before a restart of the coordinator, and not heard of since. */
  isAwaited: boolean;
  /** A speculative copy beside the original: it writes no checkpoints. */
  isCopy: boolean;
  /** What it was given to resume from; null for a fresh start. */
  readonly resumedFrom: CheckpointRecord | null;
  /** Run time in ms behind `resumedFrom`: what the attempt does not have to do itself. */
  readonly runBeforeMs: number;
  /** The `assign` frame that carried it on the worker's connection; 0 before dispatch. */
  sequence: number;
  startedAt: number | null;
  /** 0 to 1, as last reported. */
  progress: number;
  progressMessage: string | null;
  /** How many checkpoints it has saved; volatile. */
  checkpoints: number;
  /**
   * From 0, the smallest number that nothing else had which ran on its worker when it began; null before.
   * Volatile: after a restart of the coordinator it is given anew.
   */
  slot: number | null;
  /** Since when heartbeats have not named it that should have; null: the newest one did. */
  missedAt: number | null;
  recalled: boolean;
  /** What it was expected to take when it was assigned, in ms; counted in `queuedMs`. */
  readonly expectedMs: number;
  /** By which its worker runs it, larger first: that of its task; 0 under algorithms that know no priorities. */
  readonly priority: number;
  /** Armed from its start on, when the job has a time limit. */
  timeout: AttemptDeadline | null;
  /** Armed from its start on and anew with all progress, when the job limits the time without progress. */
  progressTimeout: AttemptDeadline | null;
  /** For workers over plain HTTP: armed until the attempt is handed out. */
  delivery: AttemptDeadline | null;
  /**
   * For the same workers: armed from then on, and anew whenever the worker names the attempt. Nobody sees
   * whether the answer has arrived, and other calls may keep a worker alive that knows nothing of it.
   */
  naming: AttemptDeadline | null;
}

export interface TaskDeadline extends Deadline {
  readonly kind: 'retry';
  readonly task: TaskRecord;
}

export interface AttemptDeadline extends Deadline {
  readonly kind: 'attempt_timeout' | 'progress_timeout' | 'delivery' | 'naming';
  readonly attempt: AttemptRecord;
}

export interface WorkerDeadline extends Deadline {
  readonly kind: 'lease' | 'grace' | 'probe' | 'away' | 'drain' | 'admission';
  readonly worker: WorkerRecord;
}

/** There is one. Armed while a job will have been kept for long enough one day. */
export interface RetentionDeadline extends Deadline {
  readonly kind: 'retention';
}

export type AnyDeadline = TaskDeadline | AttemptDeadline | WorkerDeadline | RetentionDeadline;

/** A lost attempt may still bring the result; the repeated report of a failed one is acknowledged. */
export interface PastAttempt {
  readonly attempt: number;
  readonly workerId: string;
  readonly token: string;
  readonly outcome: AttemptOutcome;
}

/**
 * Attempts of a task in a row that one worker refused, or that it released: the history keeps one row
 * of them. Or, of one number, those that were withdrawn: the next attempt has the same.
 */
export interface UntakenAttempts {
  readonly workerId: string;
  readonly outcome: 'refused' | 'released' | 'withdrawn';
  /** Number of the first, and when it was assigned. */
  readonly attempt: number;
  readonly assignedAt: number;
  readonly count: number;
}

/** Why an attempt ended without the accepted result. `withdrawn`: before it was handed out. */
export type AttemptOutcome =
  | 'failed'
  | 'lost'
  | 'timed_out'
  | 'revoked'
  | 'refused'
  | 'released'
  | 'withdrawn'
  | 'superseded';

/** Where an attempt that is over began, and what it saved. */
export interface AttemptAccount {
  /** How many checkpoints it saved. */
  readonly checkpoints: number;
  /** The attempt whose checkpoint it went on from, and how far that was (0 to 1); null: from the start. */
  readonly resumedFrom: Pick<CheckpointRecord, 'attempt' | 'progress'> | null;
}

export interface AcceptedAccount extends AttemptAccount {
  /** As its worker says, or estimated; null: not known. */
  readonly energyJoules: number | null;
}

export interface EndedAccount extends AttemptAccount {
  /** As its worker says, or from its start until its end; 0 when it never began. */
  readonly runMs: number;
}

/** One attempt that did not succeed, or several that were not taken; becomes a row of the history. */
export interface EndedAttempt {
  readonly job: JobRecord;
  readonly index: number;
  /** Of the first. */
  readonly attempt: number;
  /** More than 1 only for attempts that were not taken. */
  readonly count: number;
  readonly workerId: string;
  /** Kept while a late report may still come; null for revoked attempts. */
  readonly token: string | null;
  readonly outcome: AttemptOutcome;
  readonly errorType: string;
  readonly errorMessage: string;
  readonly assignedAt: number;
  readonly startedAt: number | null;
  readonly endedAt: number;
  readonly account: EndedAccount;
}

/** `socket`: assignments are sent. `http`: the worker asks for them. */
export type Transport = 'socket' | 'http';

export type Connection =
  | { readonly state: 'connected'; readonly id: number; readonly transport: Transport }
  /** The socket closed; the attempts are lost when the grace ends, unless it comes back. */
  | { readonly state: 'grace' }
  | { readonly state: 'offline' };

export interface Joined {
  /** Public id of the token. */
  readonly tokenId: string;
  /** What or whom the token was for. */
  readonly label: string | null;
}

export interface WorkerRecord extends WorkerView {
  readonly id: string;
  readonly generation: number;
  /** Order of registration. */
  readonly key: number;
  /** SHA-256 of the worker's token, hex. */
  readonly tokenHash: string;
  readonly registeredAt: number;
  name: string | null;
  type: string;
  platform: string;
  slots: number;
  kinds: readonly string[];
  /** For people: versions of what runs them, by kind; null when it did not say. */
  runtimes: Readonly<Record<string, string>> | null;
  /** What it hands to tasks beside inputs in JSON, as it says. */
  hands: readonly string[];
  labels: Readonly<Record<string, string>>;
  isolation: string;
  version: string | null;
  /** The lease that it asked for, null for the common one; `leaseOf` tells which it has. */
  leaseMs: number | null;
  /** The lease that it asked for with its last heartbeat, instead of that; null: for none. */
  leaseNowMs: number | null;
  /** The most memory that it gives one task; null when it did not say. */
  taskMemoryMb: number | null;
  connection: Connection;
  /** Its row in the newest snapshot (`takeSnapshot`); of no meaning while it is in none. */
  row: number;
  /** By which token it registered; null where none was needed, and from before that was kept. */
  readonly joined: Joined | null;
  /** As an operator has named it, whatever it says itself; null: as it says. */
  givenName: string | null;
  /** Nobody has let it in yet, and it is given nothing; removed at this moment. Null: it is in. */
  waitsUntil: number | null;
  /** The operator told it to take nothing new; it stays. Null: it takes what it is given. */
  draining: Draining | null;
  /** The worker itself said that it goes, and takes nothing new; volatile. */
  leaving: boolean;
  /** It said that it rests, and is given nothing; volatile, as every hello and heartbeat says it anew. */
  rest: WorkerRest | null;
  /** It did not fetch an assignment in time: nothing new before it asks for work again; volatile. */
  asleep: boolean;
  quarantine: Quarantine | null;
  /** Tasks in a row that failed here and then succeeded elsewhere; volatile. */
  blames: number;
  /** It has refused, and completed or failed nothing since; null otherwise. Volatile, see `refusals.ts`. */
  unwilling: Unwilling | null;
  lastHeartbeatAt: number;
  /** Any sign of life renews the lease. */
  lastSeenAt: number;
  /** Since when it is offline; null while it is not, and from a restart to its first commit. */
  awaySince: number | null;
  observed: Observed;
  /** The newest telemetry as it goes on the wire, for display. */
  telemetryJson: string;
  readonly attempts: Set<AttemptRecord>;
  /** Those of its attempts that have begun; volatile. */
  readonly slotNumbers: SlotNumbers;
  activeTasks: number;
  assignedSinceHeartbeat: number;
  idleSince: number;
  totalCompleted: number;
  totalFailed: number;
  busyMs: number;
  /** Exponentially smoothed run time in ms, null before the first completed task. */
  smoothedTaskMs: number | null;
  energyJoules: number;
  /** How many unfinished attempts it may hold beyond its slots; see `prefetch.ts`. */
  prefetch: number;
  /** Sum of `expectedMs` over its attempts. */
  queuedMs: number;
  /** The same attempts by their priorities. */
  readonly held: HeldWork;
  /** When it last reported the end of an attempt; its registration at first. */
  lastReportAt: number;
  readonly lease: WorkerDeadline;
  readonly grace: WorkerDeadline;
  /** Armed while it is offline, unless such workers are kept for good. */
  readonly away: WorkerDeadline;
  /** Armed while a quarantine pauses. */
  readonly probe: WorkerDeadline;
  /** Armed until the deadline of its drain. */
  readonly drain: WorkerDeadline;
  /** Armed while it waits for a person to let it in. */
  readonly admission: WorkerDeadline;
}

export interface WorkerRest {
  /** In a word: `charging`, `hours`, … */
  readonly because: string;
  /** The reason may have changed since. */
  readonly since: number;
}

/** A drain: what runs may go on until it saves its state, ends, or the deadline comes. */
export interface Draining {
  /** Null: from before this was noted. */
  readonly since: number | null;
  /** What the worker still has then is given to others; null: never. */
  readonly deadline: number | null;
}

/**
 * The worker fails what succeeds elsewhere. Entered at the third time in a row; it gets nothing until
 * `until`, then one task at a time as a probe. Left when a probe succeeds, or by an operator's
 * `resume`; a failed probe doubles the pause.
 */
export interface Quarantine {
  readonly until: number;
  readonly pauseMs: number;
}
