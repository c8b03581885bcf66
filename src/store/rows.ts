// The rows of durable data. A row is the whole record and replaces the row before, except a `WorkRow`,
// which is added to it. Times are milliseconds since the epoch.

import type { CheckpointState } from '../core/commands.ts';
import type {
  AcceptedAccount,
  AttemptOutcome,
  CheckpointRecord,
  Draining,
  EndedAccount,
  JobSpec,
  JobStatus,
  Joined,
  PastAttempt,
  Quarantine,
  RecoveryReason,
  RecoveryRecord,
  TaskStatus,
} from '../core/records.ts';
import type { NotificationRecord } from '../core/notifications.ts';
import type { SchedulerConfig } from '../core/snapshot.ts';
import type { Totals } from '../core/totals.ts';

export interface JobRow {
  readonly spec: JobSpec;
  readonly status: JobStatus;
  readonly completed: number;
  readonly failed: number;
  readonly cancelled: number;
  /** Cursor of every entry, in the order of the entries. */
  readonly cursors: readonly number[];
  readonly startedAt: number | null;
  readonly completedAt: number | null;
  readonly cancelledAt: number | null;
  readonly heldAt: number | null;
  readonly error: string | null;
  /** Of its program, inputs and results; 0 for a job of the admin. */
  readonly storedBytes: number;
}

/** When the time of its own is over, for which a job that has ended is kept; null when it has none. */
export function ownExpiry({ spec, completedAt }: JobRow): number | null {
  return completedAt === null || spec.retainMs === null ? null : completedAt + spec.retainMs;
}

/** A task that was assigned at least once, or is final. A fresh one has no row. */
export interface TaskRow {
  readonly jobKey: number;
  readonly index: number;
  /** Never `running`: that is volatile and says `assigned` here. */
  readonly status: Exclude<TaskStatus, 'running'>;
  readonly attempt: number;
  /** Worker of the newest attempt. */
  readonly workerId: string | null;
  /** Token of the live attempt, or of the accepted one. */
  readonly token: string | null;
  /** Live attempts beside the newest one: with speculation, the original and older copies. */
  readonly others: readonly LiveAttemptRow[];
  /** `LiveAttemptRow.runBeforeMs` of the newest attempt, while that is live. */
  readonly runBeforeMs: number | null;
  /** Number of the accepted attempt of a completed task. */
  readonly acceptedAttempt: number | null;
  readonly errors: number;
  readonly losses: number;
  readonly timeouts: number;
  readonly notBefore: number;
  readonly avoid: readonly string[];
  readonly assignedAt: number | null;
  readonly startedAt: number | null;
  readonly completedAt: number | null;
  readonly runMs: number | null;
  readonly errorType: string | null;
  readonly errorMessage: string | null;
  /**
   * Of the accepted attempt. Null when the task is not completed, where a query does not read it, and of a time when
   * none was kept; a completed row that is written with null keeps the one it has.
   */
  readonly account: AcceptedAccount | null;
  /**
   * JSON text. Null when the task is not completed, and where a query does not read it; a completed
   * row that is written with null keeps the result it has.
   */
  readonly resultJson: string | null;
}

/**
 * Stands in a list for a task whose stored result or error is not what was written, or cannot be read,
 * or is missing where it must be.
 */
export interface DamagedTask {
  readonly jobKey: number;
  readonly index: number;
  /** What is damaged, in a sentence. */
  readonly damage: string;
}

export interface LiveAttemptRow {
  readonly attempt: number;
  readonly workerId: string;
  readonly token: string;
  readonly assignedAt: number;
  /** Run time behind the checkpoint that it resumed from; null where an older version has not stored it. */
  readonly runBeforeMs: number | null;
}

/** A checkpoint. Keyed by id. Its state is kept apart and dropped earlier, the row stays with the job. */
export interface CheckpointRow extends Omit<CheckpointRecord, 'task'> {
  readonly jobKey: number;
  readonly jobId: string;
  readonly index: number;
}

export interface NewCheckpoint {
  readonly row: CheckpointRow;
  /** Null when the batch that takes it also drops its state. */
  readonly state: CheckpointState | null;
}

/** Bytes under the SHA-256 of these bytes. Kept while something refers to them. */
export interface BlobRow {
  readonly sha256: string;
  readonly sizeBytes: number;
  /** When the blob was stored or touched last. */
  readonly touchedAt: number;
}

/** A job needs a blob, for an input or a result. Removed with the job. */
export interface BlobReference {
  readonly jobKey: number;
  readonly sha256: string;
}

/** An attempt that did not succeed, or several that were not taken. Keyed by job, index, attempt. */
export interface AttemptRow {
  readonly jobKey: number;
  readonly jobId: string;
  readonly index: number;
  /** Of the first; below 0 one that was withdrawn, whose number the next attempt has too. */
  readonly attempt: number;
  /** How many there were in a row; more than 1 only of those that were not taken. */
  readonly count: number;
  readonly workerId: string;
  /** Null once a report of it can no longer count. */
  readonly token: string | null;
  readonly outcome: AttemptOutcome;
  readonly errorType: string;
  readonly errorMessage: string;
  readonly assignedAt: number;
  readonly startedAt: number | null;
  readonly endedAt: number;
  /** Null: it is of a time when none was kept. */
  readonly account: EndedAccount | null;
}

/**
 * What helps to find the mistake in an attempt's program. Keyed by job, index, attempt; removed with the
 * job. At least one of the texts is there.
 */
export interface TraceRow {
  readonly jobKey: number;
  readonly index: number;
  readonly attempt: number;
  /** Frames of the error, a line for each. */
  readonly stack: string | null;
  /** What the attempt printed. */
  readonly output: string | null;
}

/** A trace as it is listed: what was printed may be long. */
export interface TraceSummary extends Omit<TraceRow, 'output'> {
  readonly hasOutput: boolean;
}

export interface WorkerRow {
  readonly id: string;
  readonly key: number;
  readonly generation: number;
  readonly tokenHash: string;
  readonly name: string | null;
  readonly type: string;
  readonly platform: string;
  readonly slots: number;
  readonly kinds: readonly string[];
  readonly runtimes: Readonly<Record<string, string>> | null;
  /** What it hands to tasks beside inputs in JSON. */
  readonly hands: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
  readonly isolation: string;
  readonly version: string | null;
  /** The lease that it asked for; null for the common one. */
  readonly leaseMs: number | null;
  /** The lease that it asked for with its last heartbeat, instead of that; null: for none. */
  readonly leaseNowMs: number | null;
  readonly taskMemoryMb: number | null;
  readonly registeredAt: number;
  readonly joined: Joined | null;
  /** As an operator has named it; null: as it says itself. */
  readonly givenName: string | null;
  /** Until when it waits for a person to let it in; null: it is in. */
  readonly waitsUntil: number | null;
  readonly draining: Draining | null;
  readonly quarantine: Quarantine | null;
  /** Set when the worker was removed; the row stays so that its id is known and refused. */
  readonly deregisteredAt: number | null;
  /** It was removed because it was away for long: whoever comes with its id may register anew. */
  readonly mayReturn: boolean;
  /** Since when it is offline; null while it is not. */
  readonly awaySince: number | null;
  readonly totalCompleted: number;
  readonly totalFailed: number;
  readonly busyMs: number;
  readonly smoothedTaskMs: number | null;
  readonly energyJoules: number;
}

/** A recovery event: an attempt was lost, and what became of its task. Keyed by id. */
export interface RecoveryRow {
  /** Allocated by the coordinator; rises with `lostAt`, never used again. */
  readonly id: number;
  readonly jobKey: number;
  readonly jobId: string;
  readonly index: number;
  readonly fromWorkerId: string;
  /** Null until the next assignment. */
  readonly toWorkerId: string | null;
  readonly reason: RecoveryReason;
  /** The attempt that was lost. */
  readonly attempt: number;
  readonly nextAttempt: number | null;
  readonly checkpointId: string | null;
  /** 0 to 1; null when it began anew. */
  readonly resumedFromProgress: number | null;
  readonly lostAt: number;
  /** When the next attempt started. */
  readonly resumedAt: number | null;
  readonly workSavedSeconds: number;
  readonly timeLostSeconds: number;
  readonly outcome: RecoveryRecord['outcome'];
}

/**
 * That somebody is told of the end of a job, and what came of it. Keyed by id, removed with the job. The id of
 * the job is stored with the job alone.
 */
export type NotificationRow = NotificationRecord;

/** One that is due, with its job, whose task priorities are not read. */
export interface DueNotification {
  readonly row: NotificationRow;
  readonly job: JobRow;
}

/** Which job was made by a submission with this key. Removed with the job. */
export interface IdempotencyRow {
  readonly key: string;
  readonly bodyHash: string;
  readonly jobId: string;
  readonly jobKey: number;
  readonly createdAt: number;
}

/** Length of the buckets in which work is counted per worker. */
export const workBucketMs = 10_000;

/**
 * What a worker did for a job within a batch: an increment, added to the row of the same job, worker
 * and bucket. The store also counts `completed` and `failed` per job in the second of the commit.
 */
export interface WorkRow {
  readonly jobKey: number;
  readonly workerId: string;
  /** The time of the batch, rounded down to a multiple of `workBucketMs`. */
  readonly bucketAt: number;
  /** Accepted results. */
  readonly completed: number;
  /** Attempts that ended by an error or a time-out. */
  readonly failed: number;
  /** Attempts in `failed` whose task is tried again. */
  readonly retried: number;
  /** Run time of the attempts in `completed`. */
  readonly completedMs: number;
  /** Run time of the attempts in `completed` and in `failed`. */
  readonly busyMs: number;
  readonly energyJoules: number;
  /** Run time of attempts whose task another attempt completed first. */
  readonly wastedMs: number;
}

/** Work of one worker, summed. */
export type WorkSum = Omit<WorkRow, 'jobKey' | 'bucketAt'>;

/** Work of all workers in the bucket that begins at `at`. */
export interface ThroughputSum {
  readonly at: number;
  readonly completed: number;
  readonly failed: number;
}

export interface RecoverySum {
  readonly events: number;
  /** Recovery events whose task went on: resumed, restarted or adopted. */
  readonly recovered: number;
  /** Recovery events that have a `resumedAt`. */
  readonly resumed: number;
  /** Sum of `resumedAt - lostAt` over the resumed ones. */
  readonly msToResume: number;
  readonly workSavedSeconds: number;
}

export interface CheckpointSum {
  readonly count: number;
  readonly storedBytes: number;
}

/** A final job, as evaluation needs it. */
export interface EndedJob {
  readonly key: number;
  readonly status: JobStatus;
  readonly createdAt: number;
  readonly completedAt: number;
  readonly taskCount: number;
  readonly completed: number;
  readonly failed: number;
}

/** A task with all that is needed to decide about a late report on it. */
export interface StoredTask {
  readonly row: TaskRow;
  /** Ended attempts that kept their token. */
  readonly past: readonly PastAttempt[];
  /** Checkpoints whose state is kept, oldest first. */
  readonly checkpoints: readonly CheckpointRow[];
}

export interface WriteBatch {
  /**
   * Rises by one per commit of this coordinator. A batch whose sequence is not above that of the
   * newest commit has been written already: repeating it writes nothing.
   */
  readonly sequence: number;
  readonly jobs: readonly JobRow[];
  readonly tasks: readonly TaskRow[];
  readonly attempts: readonly AttemptRow[];
  readonly traces: readonly TraceRow[];
  readonly workers: readonly WorkerRow[];
  readonly recoveries: readonly RecoveryRow[];
  readonly notifications: readonly NotificationRow[];
  readonly checkpoints: readonly NewCheckpoint[];
  /** Ids of checkpoints whose state is no longer needed; their rows stay. */
  readonly droppedStates: readonly number[];
  readonly blobReferences: readonly BlobReference[];
  readonly idempotencyKeys: readonly IdempotencyRow[];
  /** They belong to no generation: clearing the database leaves them. */
  readonly tokens: readonly TokenRow[];
  /** Hashes of tokens that are revoked by this commit; those that nobody knows are left out. */
  readonly revokedTokens: readonly string[];
  /** Ids of tokens that are forgotten. */
  readonly droppedTokens: readonly string[];
  readonly work: readonly WorkRow[];
  /**
   * Keys of jobs that are gone from this commit on, with everything that belongs to them; swept later. Such
   * a job is never written again.
   */
  readonly deletedJobs: readonly number[];
  /** Payload of jobs that become visible with this batch. */
  readonly payloads: readonly JobPayload[];
  readonly config: SchedulerConfig | null;
  /** Every configuration that was set in this batch, in order; clearing the database leaves them. */
  readonly schedulerChanges: readonly SchedulerConfig[];
  /** What has happened up to this batch; undefined: as it was. */
  readonly totals?: Totals;
  /** A new generation: everything of older ones is gone from now on, and swept later. */
  readonly generation: number | null;
  /** What was done by somebody's will, or refused. It belongs to no generation either. */
  readonly audit: readonly AuditEntry[];
}

/** So many configurations of the scheduler are kept of the past, the newest. */
export const mostSchedulerChanges = 1_000;

/** Who did what, from where, and what came of it. Nothing in it is secret. */
export interface AuditEntry {
  readonly at: number;
  readonly action: string;
  /** What it was done to: an id. */
  readonly object: string | null;
  readonly outcome: AuditOutcome;
  /** Why not; null for what was done. */
  readonly code: string | null;
  /** How often: repeated refusals are one entry, with the time of the first. */
  readonly count: number;
  /** The token that was shown; null: none, or one that nobody knows. */
  readonly tokenId: string | null;
  readonly role: string | null;
  readonly owner: string | null;
  /** Null: it came from no connection. */
  readonly address: string | null;
}

export type AuditOutcome = 'done' | 'refused' | 'failed';

/** Ids rise with every commit. */
export interface AuditRow extends AuditEntry {
  readonly id: number;
}

/** Who may ask. The token itself is nowhere: `hash` is the SHA-256 of its text, in hexadecimal digits. */
export interface TokenRow {
  /** Public; a part of the text of the token. */
  readonly id: string;
  readonly kind: 'admin' | 'client' | 'viewer' | 'join' | 'worker';
  readonly hash: string;
  /** Whose the jobs are that it submits. */
  readonly owner: string;
  readonly label: string | null;
  readonly createdAt: number;
  /** From then on it is refused; null: never. */
  readonly expiresAt: number | null;
  /** Roughly; null before its first use. */
  readonly lastUsedAt: number | null;
  /** What it may use of the coordinator, by the name of the quota. */
  readonly quota: Readonly<Record<string, number>>;
  /** How many workers it may still register; null: any number. */
  readonly usesLeft: number | null;
  readonly revokedAt: number | null;
  /** The worker whose token it is, or was before that was cleared away; null for other kinds. */
  readonly workerId: string | null;
  /** Of every worker that registers with it; whatever the worker says itself. */
  readonly labels: Readonly<Record<string, string>>;
  /** Workers that register with it wait for a person. Of a worker's token: nobody has let it in yet. */
  readonly needsApproval: boolean;
  /** Of a worker's token: the one by which it came, whose label it has. */
  readonly joinedBy: string | null;
  /** Of a worker's token: as an operator has named the worker. */
  readonly givenName: string | null;
}

export interface JobPayload {
  readonly jobKey: number;
  /** Jobs with the same program share one stored text. */
  readonly program: ProgramText;
  /** JSON texts by index; empty for range jobs and when they were staged before. */
  readonly inputs: readonly string[];
  /** So many inputs were staged before, and must be there; absent: none. */
  readonly staged?: number;
}

/** A program as it is stored and sent, with the hash that identifies it everywhere. */
export interface ProgramText {
  /** SHA-256 of the JSON text, hex. */
  readonly sha256: string;
  readonly json: string;
}

export interface JobCounters {
  readonly total: number;
  readonly pending: number;
  readonly running: number;
  readonly completed: number;
  readonly failed: number;
  readonly cancelled: number;
  /** Tasks of all jobs. */
  readonly tasks: number;
  readonly tasksCompleted: number;
  /** Of the jobs of owners; the admin's have none. */
  readonly storedBytes: number;
}

/** Everything that the core needs to go on. Jobs and tasks are the open ones only. */
export interface StoredState {
  readonly generation: number;
  /** Sequence of the newest commit, 0 for a new database. */
  readonly sequence: number;
  readonly config: SchedulerConfig | null;
  readonly jobs: readonly JobRow[];
  /** Tasks of open jobs that are assigned, or pending after an attempt. */
  readonly tasks: readonly StoredTask[];
  /** Workers that are registered and not deregistered, by key. */
  readonly workers: readonly WorkerRow[];
  /**
   * Recovery events of open jobs with fields that are not filled in yet, by id: those still
   * `requeued`, and those resumed or restarted whose attempt has not started.
   */
  readonly recoveries: readonly RecoveryRow[];
  /** Without what they keep: that is counted for owners alone. */
  readonly counters: Omit<JobCounters, 'storedBytes'>;
  /** The same of each owner that has jobs, except the admin. */
  readonly ownerCounters: ReadonlyMap<string, JobCounters>;
  /** Of the whole past of the database, cleared generations included. */
  readonly totals: Totals;
  /** Larger than any key or id that was ever used. Keys of jobs are reserved instead. */
  readonly nextWorkerKey: number;
  readonly nextRecoveryId: number;
  readonly nextCheckpointId: number;
  /** Larger than any id that is stored; with the id of its job a notification is never named again. */
  readonly nextNotificationId: number;
  /** Whether any configuration of the scheduler was noted. */
  readonly hasSchedulerChanges: boolean;
  /** Whether any blob is stored. */
  readonly hasBlobs: boolean;
  /** When the newest commit was made, null for a new database. */
  readonly lastCommitAt: number | null;
}
