// Rows for tests: plain defaults, changed where a test says so.

import { createHash, hash } from 'node:crypto';
import type { CheckpointState } from '../../core/commands.ts';
import type { JobSpec } from '../../core/records.ts';
import { jobSpec } from '../../core/testing/job-spec.ts';
import type {
  AttemptRow,
  AuditEntry,
  CheckpointRow,
  IdempotencyRow,
  JobRow,
  NewCheckpoint,
  NotificationRow,
  ProgramText,
  RecoveryRow,
  TaskRow,
  TokenRow,
  TraceRow,
  WorkerRow,
  WorkRow,
  WriteBatch,
} from '../rows.ts';

export const startAt = 1_760_000_000_000;
/** A text that is hard to keep to the letter. */
export const awkward = 'ünïcode 🦊 \u0000 \u2028 "quoted" \\ \n end';

export function jobRow(
  key: number,
  spec: Partial<JobSpec> = {},
  rest: Partial<Omit<JobRow, 'spec'>> = {},
): JobRow {
  return {
    spec: jobSpec({
      id: `job-${key}`,
      key,
      priority: 5,
      taskCount: 10,
      rangeStart: null,
      createdAt: startAt,
      ...spec,
    }),
    status: 'pending',
    completed: 0,
    failed: 0,
    cancelled: 0,
    cursors: [0],
    startedAt: null,
    completedAt: null,
    cancelledAt: null,
    heldAt: null,
    error: null,
    storedBytes: 0,
    ...rest,
  };
}

export function taskRow(jobKey: number, index: number, rest: Partial<TaskRow> = {}): TaskRow {
  return {
    jobKey,
    index,
    status: 'assigned',
    attempt: 1,
    workerId: 'worker-1',
    token: `token-${jobKey}-${index}`,
    others: [],
    runBeforeMs: 250.25,
    acceptedAttempt: null,
    errors: 0,
    losses: 0,
    timeouts: 0,
    notBefore: 0,
    avoid: [],
    assignedAt: startAt,
    startedAt: null,
    completedAt: null,
    runMs: null,
    errorType: null,
    errorMessage: null,
    account: null,
    resultJson: null,
    ...rest,
  };
}

export function completedRow(jobKey: number, index: number, resultJson = `${index}`): TaskRow {
  return taskRow(jobKey, index, {
    status: 'completed',
    acceptedAttempt: 1,
    startedAt: startAt + 1,
    completedAt: startAt + 10,
    runMs: 9.5,
    resultJson,
  });
}

export function failedRow(jobKey: number, index: number): TaskRow {
  return taskRow(jobKey, index, {
    status: 'failed',
    token: null,
    errors: 3,
    avoid: ['worker-1'],
    completedAt: startAt + 10,
    errorType: 'TypeError',
    errorMessage: 'x is not a function',
  });
}

export function attemptRow(
  jobKey: number,
  index: number,
  attempt: number,
  rest: Partial<AttemptRow> = {},
): AttemptRow {
  return {
    jobKey,
    jobId: `job-${jobKey}`,
    index,
    attempt,
    count: 1,
    workerId: 'worker-1',
    token: `lost-${jobKey}-${index}-${attempt}`,
    outcome: 'lost',
    errorType: 'lost',
    errorMessage: 'The worker was not heard of.',
    assignedAt: startAt,
    startedAt: startAt + 1,
    endedAt: startAt + 100,
    account: { runMs: 99.5, checkpoints: 0, resumedFrom: null },
    ...rest,
  };
}

export function workerRow(key: number, rest: Partial<WorkerRow> = {}): WorkerRow {
  return {
    id: `worker-${key}`,
    key,
    generation: 1,
    tokenHash: 'ab'.repeat(32),
    name: null,
    type: 'pc',
    platform: 'linux',
    slots: 4,
    kinds: ['javascript'],
    runtimes: null,
    hands: [],
    labels: {},
    isolation: 'process',
    version: '0.1.0',
    leaseMs: null,
    leaseNowMs: null,
    taskMemoryMb: 6000,
    registeredAt: startAt,
    joined: null,
    givenName: null,
    waitsUntil: null,
    draining: null,
    quarantine: null,
    deregisteredAt: null,
    mayReturn: false,
    awaySince: null,
    totalCompleted: 0,
    totalFailed: 0,
    busyMs: 0,
    smoothedTaskMs: null,
    energyJoules: 0,
    ...rest,
  };
}

/** Each recovery event is a second after the one before. */
export function recoveryRow(
  id: number,
  jobKey: number,
  rest: Partial<RecoveryRow> = {},
): RecoveryRow {
  return {
    id,
    jobKey,
    jobId: `job-${jobKey}`,
    index: 0,
    fromWorkerId: 'worker-1',
    toWorkerId: null,
    reason: 'worker_lost',
    attempt: 1,
    nextAttempt: null,
    checkpointId: null,
    resumedFromProgress: null,
    lostAt: startAt + id * 1_000,
    resumedAt: null,
    workSavedSeconds: 0,
    timeLostSeconds: 3.5,
    outcome: 'requeued',
    ...rest,
  };
}

/** Each checkpoint is a second after the one before, with a small state as text unless the test gives one. */
export function newCheckpoint(
  id: number,
  jobKey: number,
  rest: Partial<CheckpointRow> = {},
  state: CheckpointState | null = { encoding: 'json', text: `{"at":${id}}` },
): NewCheckpoint {
  const row = {
    id,
    jobKey,
    jobId: `job-${jobKey}`,
    index: 0,
    attempt: 1,
    sequence: id,
    workerId: 'worker-1',
    progress: 0.25,
    sizeBytes: 1_000 + id,
    storedBytes: 100 + id,
    sha256: 'ef'.repeat(32),
    runMs: 1_500.5,
    createdAt: startAt + id * 1_000,
    ...rest,
  };
  return { row, state };
}

/** Bytes without a pattern, and their SHA-256. */
export function blobOf(sizeBytes: number, seed = 1): { sha256: string; bytes: Uint8Array } {
  const bytes = new Uint8Array(sizeBytes);
  let x = seed;
  for (let i = 0; i < sizeBytes; i++) {
    x = (Math.imul(x, 1_664_525) + 1_013_904_223) | 0;
    bytes[i] = x >>> 24;
  }
  return { sha256: createHash('sha256').update(bytes).digest('hex'), bytes };
}

export function idempotencyRow(key: string, jobKey: number): IdempotencyRow {
  const bodyHash = 'cd'.repeat(32);
  return { key, bodyHash, jobId: `job-${jobKey}`, jobKey, createdAt: startAt + 0.5 };
}

/** One task that was completed in a second. */
export function workRow(jobKey: number, workerId: string, rest: Partial<WorkRow> = {}): WorkRow {
  return {
    jobKey,
    workerId,
    bucketAt: startAt,
    completed: 1,
    failed: 0,
    retried: 0,
    completedMs: 1_000,
    busyMs: 1_000,
    energyJoules: 0,
    wastedMs: 0,
    ...rest,
  };
}

export function batch(rest: Partial<WriteBatch> = {}): WriteBatch {
  return {
    sequence: 1,
    jobs: [],
    tasks: [],
    attempts: [],
    traces: [],
    workers: [],
    recoveries: [],
    notifications: [],
    checkpoints: [],
    droppedStates: [],
    blobReferences: [],
    idempotencyKeys: [],
    tokens: [],
    revokedTokens: [],
    droppedTokens: [],
    work: [],
    deletedJobs: [],
    payloads: [],
    config: null,
    schedulerChanges: [],
    generation: null,
    audit: [],
    ...rest,
  };
}

/** Of a client, made a second after the one before. */
export function tokenRow(number: number, rest: Partial<TokenRow> = {}): TokenRow {
  return {
    id: `token${number}`,
    kind: 'client',
    hash: `hash-${number}`,
    owner: 'ann',
    label: null,
    createdAt: startAt + number * 1_000,
    expiresAt: null,
    lastUsedAt: null,
    quota: {},
    usesLeft: null,
    revokedAt: null,
    workerId: null,
    labels: {},
    needsApproval: false,
    joinedBy: null,
    givenName: null,
    ...rest,
  };
}

/** A second after the one before. */
export function auditEntry(number: number, rest: Partial<AuditEntry> = {}): AuditEntry {
  return {
    at: startAt + number * 1_000,
    action: 'job.cancel',
    object: `job-${number}`,
    outcome: 'done',
    code: null,
    count: 1,
    tokenId: 'token1',
    role: 'client',
    owner: 'ann',
    address: '192.0.2.1',
    ...rest,
  };
}

/** Due at once, a second after the one before. */
export function notificationRow(
  id: number,
  jobKey: number,
  rest: Partial<NotificationRow> = {},
): NotificationRow {
  return {
    id,
    jobKey,
    jobId: `job-${jobKey}`,
    target: 0,
    host: 'example.org',
    status: 'completed',
    completed: 10,
    failed: 0,
    cancelled: 0,
    startedAt: startAt,
    endedAt: startAt + id * 1_000,
    attempts: 0,
    outcome: 'due',
    nextAt: startAt + id * 1_000,
    answer: null,
    triedAt: null,
    ...rest,
  };
}

export function traceRow(
  jobKey: number,
  index: number,
  attempt: number,
  rest: Partial<TraceRow> = {},
): TraceRow {
  return { jobKey, index, attempt, stack: 'at f (program:1:2)', output: null, ...rest };
}

/** The payload of a job with `count` inputs. */
export function payload(jobKey: number, count: number) {
  const inputs = Array.from({ length: count }, (_, index) => `{"input":${index}}`);
  return { jobKey, program: programRow(`{"code":"job ${jobKey}"}`), inputs };
}

export function programRow(json: string): ProgramText {
  return { sha256: hash('sha256', json), json };
}
