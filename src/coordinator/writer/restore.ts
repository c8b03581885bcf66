// Makes records from their rows; `write-batch.ts` makes the rows. Volatile fields are not stored, and begin
// as in a new record.

import { createJob } from '../../core/create/job.ts';
import { createTask } from '../../core/create/task.ts';
import { createWorker, unmeasured } from '../../core/create/worker.ts';
import { openTaskCount } from '../../core/job-status.ts';
import type {
  CheckpointRecord,
  JobRecord,
  RecoveryRecord,
  TaskRecord,
  WorkerRecord,
} from '../../core/records.ts';
import type {
  CheckpointRow,
  JobRow,
  RecoveryRow,
  StoredTask,
  WorkerRow,
} from '../../store/rows.ts';

export function restoreJob(row: JobRow): JobRecord {
  const job = createJob(row.spec);
  job.entries.forEach((entry, i) => {
    entry.cursor = row.cursors[i] ?? 0;
  });
  job.counts.completed = row.completed;
  job.counts.failed = row.failed;
  job.counts.cancelled = row.cancelled;
  job.openTasks = openTaskCount(job);
  job.storedBytes = row.storedBytes;
  job.status = row.status;
  job.startedAt = row.startedAt;
  job.completedAt = row.completedAt;
  job.cancelledAt = row.cancelledAt;
  job.heldAt = row.heldAt;
  job.error = row.error;
  return job;
}

/** A record of a stored task, without live attempts. */
export function restoreTask(job: JobRecord, stored: StoredTask): TaskRecord {
  const { row, past, checkpoints } = stored;
  const task = createTask(job, row.index);
  // Live attempts are restored at the start only, see `recovery.ts`.
  task.status = row.status === 'assigned' ? 'pending' : row.status;
  task.attempt = row.attempt;
  task.past = past;
  task.checkpoints = checkpoints.map((kept) => restoreCheckpoint(task, kept));
  task.errors = row.errors;
  task.losses = row.losses;
  task.timeouts = row.timeouts;
  task.notBefore = row.notBefore;
  task.avoid = row.avoid;
  task.workerId = row.workerId;
  task.assignedAt = row.assignedAt;
  task.startedAt = row.startedAt;
  task.completedAt = row.completedAt;
  task.runMs = row.runMs;
  if (row.acceptedAttempt !== null && row.token !== null) {
    task.accepted = { attempt: row.acceptedAttempt, token: row.token, account: row.account };
  }
  if (row.errorType !== null) {
    task.error = { type: row.errorType, message: row.errorMessage ?? '' };
  }
  return task;
}

function restoreCheckpoint(task: TaskRecord, row: CheckpointRow): CheckpointRecord {
  const { jobKey: _key, jobId: _id, index: _index, ...rest } = row;
  return { ...rest, task };
}

export function restoreRecovery(task: TaskRecord, row: RecoveryRow): RecoveryRecord {
  const { jobKey: _key, jobId: _id, index: _index, ...rest } = row;
  return { ...rest, task };
}

export function restoreWorker(row: WorkerRow): WorkerRecord {
  const { name, type, platform, slots, kinds, runtimes, hands, labels, isolation } = row;
  const { version, leaseMs, taskMemoryMb } = row;
  const worker = createWorker({
    workerId: row.id,
    key: row.key,
    generation: row.generation,
    tokenHash: row.tokenHash,
    description: {
      name,
      type,
      platform,
      slots,
      kinds,
      runtimes,
      hands,
      labels,
      isolation,
      version,
      leaseMs,
      taskMemoryMb,
    },
    measured: unmeasured,
    telemetryJson: '{}',
    history: row,
    joined: row.joined,
    givenName: row.givenName,
    waitsUntil: row.waitsUntil,
    at: row.registeredAt,
  });
  worker.leaseNowMs = row.leaseNowMs;
  worker.draining = row.draining;
  worker.quarantine = row.quarantine;
  worker.awaySince = row.awaySince;
  return worker;
}
