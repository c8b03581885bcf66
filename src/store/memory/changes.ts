// Everything that changes a memory disk. Each function runs without a break: a crash is before or after it.

import { adminOwner } from '../../core/owner.ts';
import type { SchedulerConfig } from '../../core/snapshot.ts';
import {
  type AttemptRow,
  type JobPayload,
  type JobRow,
  mostSchedulerChanges,
  type NewCheckpoint,
  type RecoveryRow,
  type TaskRow,
  type TraceRow,
  type WorkRow,
  type WriteBatch,
} from '../rows.ts';
import { missingInputs } from '../missing-inputs.ts';
import { addWork, secondMs } from '../sums.ts';
import type { AuditKept } from '../writing.ts';
import { findBlob } from './blobs.ts';
import type { JobFolder, MemoryDisk } from './memory-disk.ts';
import { isWhole } from './staged.ts';

export function writeBatch(disk: MemoryDisk, batch: WriteBatch, at: number): void {
  if (batch.sequence <= disk.sequence) return;
  for (const row of [...batch.tasks, ...batch.attempts, ...batch.traces])
    assertJob(disk, batch, row.jobKey);
  for (const { jobKey, staged } of batch.payloads) {
    if (staged !== undefined && !isWhole(disk, jobKey, staged)) throw missingInputs();
  }
  for (const row of batch.jobs) writeJob(disk, row);
  for (const payload of batch.payloads) writePayload(disk, payload);
  for (const row of batch.tasks) writeTask(disk, row);
  for (const row of batch.attempts) writeAttempt(disk, row);
  for (const row of batch.traces) writeTrace(disk, row);
  for (const row of batch.workers) {
    disk.workers.set(row.id, row);
    disk.nextWorkerKey = Math.max(disk.nextWorkerKey, row.key + 1);
  }
  for (const jobKey of batch.deletedJobs) hideJob(disk, jobKey);
  if (batch.config !== null) disk.config = batch.config;
  if (batch.schedulerChanges.length > 0) noteSchedulerChanges(disk, batch.schedulerChanges);
  if (batch.totals !== undefined) disk.totals = batch.totals;
  if (batch.generation !== null) disk.generation = batch.generation;
  for (const row of batch.recoveries) writeRecovery(disk, row);
  for (const row of batch.notifications) {
    if (isVisible(disk, row.jobKey)) disk.notifications.set(row.id, row);
  }
  for (const checkpoint of batch.checkpoints) writeCheckpoint(disk, checkpoint);
  for (const id of batch.droppedStates) dropState(disk, id);
  for (const { jobKey, sha256 } of batch.blobReferences) {
    if (isVisible(disk, jobKey)) refer(disk, disk.jobs.get(jobKey)!, sha256);
  }
  for (const row of batch.idempotencyKeys) {
    if (isVisible(disk, row.jobKey)) disk.idempotencyKeys.set(row.key, row);
  }
  for (const row of batch.tokens) disk.tokens.set(row.id, row);
  for (const hash of batch.revokedTokens) revokeToken(disk, hash, at);
  for (const id of batch.droppedTokens) disk.tokens.delete(id);
  const audited = batch.audit.map((entry) => ({ id: disk.nextAuditId++, ...entry }));
  if (audited.length > 0) disk.audit = [...disk.audit, ...audited];
  for (const row of batch.work) writeWork(disk, row, at);
  disk.sequence = batch.sequence;
  disk.lastCommitAt = at;
}

function noteSchedulerChanges(disk: MemoryDisk, changes: readonly SchedulerConfig[]): void {
  disk.schedulerChanges = [...disk.schedulerChanges, ...changes].slice(-mostSchedulerChanges);
}

function refer(disk: MemoryDisk, { row, blobs }: JobFolder, sha256: string): void {
  blobs.add(sha256);
  const { owner } = row.spec;
  if (owner !== adminOwner) findBlob(disk, sha256)?.broughtTo.add(owner);
}

/** Sweeps whole jobs, so it may exceed `rows` by the size of one job. */
export function sweep(disk: MemoryDisk, rows: number): boolean {
  let left = rows;
  for (const [jobKey, staged] of disk.staged) {
    if (!staged.dropped) continue;
    if (left <= 0) return true;
    disk.staged.delete(jobKey);
    left -= staged.inputs.length;
  }
  for (const [jobKey, folder] of disk.jobs) {
    if (folder.row.spec.generation >= disk.generation) continue;
    if (left <= 0) return true;
    removeJob(disk, jobKey, folder);
    left -= folder.tasks.size + folder.inputs.length;
  }
  for (const [id, worker] of disk.workers) {
    if (worker.generation < disk.generation) disk.workers.delete(id);
  }
  for (const [sha256, blob] of disk.blobs) {
    if (blob.generation < disk.generation) disk.blobs.delete(sha256);
  }
  return false;
}

export function pruneWorkers(disk: MemoryDisk, rows: number): boolean {
  const { workers, generation } = disk;
  const specs = Array.from(disk.jobs.values(), ({ row }) => row.spec)
    .filter((spec) => spec.generation === generation)
    .sort((a, b) => a.key - b.key);
  const oldest = specs[0]?.createdAt ?? Infinity;
  const gone = [...workers.values()]
    .filter((row) => row.generation === generation && row.mayReturn)
    .filter(({ deregisteredAt }) => deregisteredAt !== null && deregisteredAt < oldest)
    .sort((a, b) => a.deregisteredAt! - b.deregisteredAt! || (a.id < b.id ? -1 : 1))
    .slice(0, rows);
  for (const { id } of gone) workers.delete(id);
  return gone.length === rows;
}

export function trimAudit(disk: MemoryDisk, kept: AuditKept, rows: number): boolean {
  const newest = disk.audit.at(-1)?.id;
  const tooMany = (isDone: boolean, most: number) =>
    disk.audit
      .filter(({ outcome }) => (outcome === 'done') === isDone)
      .slice(0, -most || undefined);
  const old = disk.audit.slice(0, rows).filter(({ at }) => at < kept.since);
  const going = [...tooMany(true, kept.done), ...tooMany(false, kept.refused), ...old]
    .map(({ id }) => id)
    .filter((id) => id !== newest)
    .sort((a, b) => a - b);
  const ids = new Set([...new Set(going)].slice(0, rows));
  if (ids.size > 0) disk.audit = disk.audit.filter(({ id }) => !ids.has(id));
  return ids.size === rows;
}

/** A row of a job that does not exist would never be seen nor swept: a bug of the caller. */
function assertJob(disk: MemoryDisk, batch: WriteBatch, jobKey: number): void {
  if (disk.jobs.has(jobKey) || batch.jobs.some((job) => job.spec.key === jobKey)) return;
  throw new Error(`row of job ${jobKey}, which does not exist`);
}

function writeJob(disk: MemoryDisk, row: JobRow): void {
  const { key, id } = row.spec;
  const folder = disk.jobs.get(key);
  if (folder !== undefined) {
    folder.row = row;
    return;
  }
  const staged = disk.staged.get(key);
  disk.jobs.set(key, {
    row,
    programSha256: null,
    inputs: staged?.inputs ?? [],
    tasks: new Map(),
    order: [],
    attempts: new Map(),
    traces: new Map(),
    checkpoints: [],
    kept: new Map(),
    blobs: staged?.blobs ?? new Set(),
    work: new Map(),
    seconds: new Map(),
  });
  disk.jobKeys.set(id, key);
  disk.staged.delete(key);
  disk.nextJobKey = Math.max(disk.nextJobKey, key + 1);
}

function writePayload(disk: MemoryDisk, payload: JobPayload): void {
  const folder = disk.jobs.get(payload.jobKey);
  if (folder === undefined) {
    // The job was cleared by the batch that submitted it.
    const staged = disk.staged.get(payload.jobKey);
    if (staged !== undefined) staged.dropped = true;
    return;
  }
  referToProgram(disk, folder, payload);
  if (payload.inputs.length > 0) folder.inputs = payload.inputs;
}

function referToProgram(
  disk: MemoryDisk,
  folder: JobFolder,
  { jobKey, program }: JobPayload,
): void {
  if (folder.programSha256 !== null) return;
  let stored = disk.programs.get(program.sha256);
  if (stored === undefined) {
    stored = { text: program, jobs: new Set() };
    disk.programs.set(program.sha256, stored);
  }
  stored.jobs.add(jobKey);
  folder.programSha256 = program.sha256;
}

function letProgramGo(disk: MemoryDisk, jobKey: number, { programSha256 }: JobFolder): void {
  if (programSha256 === null) return;
  const jobs = disk.programs.get(programSha256)?.jobs;
  jobs?.delete(jobKey);
  if (jobs?.size === 0) disk.programs.delete(programSha256);
}

function writeTask(disk: MemoryDisk, row: TaskRow): void {
  const folder = disk.jobs.get(row.jobKey)!;
  const before = folder.tasks.get(row.index);
  if (before === undefined) folder.order = null;
  const isKept = row.status === 'completed' && row.resultJson === null;
  const kept = isKept ? (before?.resultJson ?? null) : null;
  const account = row.status === 'completed' ? (row.account ?? before?.account ?? null) : null;
  const isAsGiven = kept === null && account === row.account;
  const resultJson = kept ?? row.resultJson;
  folder.tasks.set(row.index, isAsGiven ? row : { ...row, account, resultJson });
}

function writeAttempt(disk: MemoryDisk, row: AttemptRow): void {
  const { attempts } = disk.jobs.get(row.jobKey)!;
  let ofTask = attempts.get(row.index);
  if (ofTask === undefined) {
    ofTask = new Map();
    attempts.set(row.index, ofTask);
  }
  const before = ofTask.get(row.attempt);
  if (before !== undefined) disk.failures.get(before.workerId)?.delete(before);
  ofTask.set(row.attempt, row);
  let ofWorker = disk.failures.get(row.workerId);
  if (ofWorker === undefined) {
    ofWorker = new Set();
    disk.failures.set(row.workerId, ofWorker);
  }
  ofWorker.add(row);
}

function writeTrace(disk: MemoryDisk, row: TraceRow): void {
  const { traces } = disk.jobs.get(row.jobKey)!;
  const ofTask = traces.get(row.index) ?? new Map<number, TraceRow>();
  ofTask.set(row.attempt, row);
  traces.set(row.index, ofTask);
}

function writeRecovery(disk: MemoryDisk, row: RecoveryRow): void {
  disk.nextRecoveryId = Math.max(disk.nextRecoveryId, row.id + 1);
  if (isVisible(disk, row.jobKey)) disk.recoveries.set(row.id, row);
}

function writeCheckpoint(disk: MemoryDisk, { row, state }: NewCheckpoint): void {
  disk.nextCheckpointId = Math.max(disk.nextCheckpointId, row.id + 1);
  if (!isVisible(disk, row.jobKey)) return;
  const { checkpoints, kept } = disk.jobs.get(row.jobKey)!;
  checkpoints.push(row);
  if (state === null) return;
  disk.states.set(row.id, { state, checkpoint: row });
  kept.set(row.index, [...(kept.get(row.index) ?? []), row]);
}

function dropState(disk: MemoryDisk, id: number): void {
  const checkpoint = disk.states.get(id)?.checkpoint;
  if (checkpoint === undefined) return;
  disk.states.delete(id);
  const { kept } = disk.jobs.get(checkpoint.jobKey)!;
  const rest = kept.get(checkpoint.index)!.filter((row) => row.id !== id);
  if (rest.length > 0) kept.set(checkpoint.index, rest);
  else kept.delete(checkpoint.index);
}

function writeWork(disk: MemoryDisk, row: WorkRow, at: number): void {
  if (!isVisible(disk, row.jobKey)) return;
  const folder = disk.jobs.get(row.jobKey)!;
  const place = `${row.bucketAt} ${row.workerId}`;
  const sum = { ...row };
  const before = folder.work.get(place);
  if (before !== undefined) addWork(sum, before);
  folder.work.set(place, sum);
  const second = Math.floor(at / secondMs) * secondMs;
  const { completed, failed } = folder.seconds.get(second) ?? { completed: 0, failed: 0 };
  folder.seconds.set(second, {
    at: second,
    completed: completed + row.completed,
    failed: failed + row.failed,
  });
}

function isVisible(disk: MemoryDisk, jobKey: number): boolean {
  return disk.jobs.get(jobKey)?.row.spec.generation === disk.generation;
}

/** Gives the job a generation older than any, so that it can no longer be seen. */
function hideJob(disk: MemoryDisk, jobKey: number): void {
  const folder = disk.jobs.get(jobKey);
  if (folder === undefined) return;
  folder.row = { ...folder.row, spec: { ...folder.row.spec, generation: 0 } };
}

function removeJob(disk: MemoryDisk, jobKey: number, folder: JobFolder): void {
  for (const ofTask of folder.attempts.values()) {
    for (const row of ofTask.values()) {
      const ofWorker = disk.failures.get(row.workerId);
      ofWorker?.delete(row);
      if (ofWorker?.size === 0) disk.failures.delete(row.workerId);
    }
  }
  for (const ofTask of folder.kept.values()) {
    for (const { id } of ofTask) disk.states.delete(id);
  }
  for (const [id, row] of disk.recoveries) if (row.jobKey === jobKey) disk.recoveries.delete(id);
  for (const [id, row] of disk.notifications) {
    if (row.jobKey === jobKey) disk.notifications.delete(id);
  }
  for (const [key, row] of disk.idempotencyKeys) {
    if (row.jobKey === jobKey) disk.idempotencyKeys.delete(key);
  }
  letProgramGo(disk, jobKey, folder);
  disk.jobs.delete(jobKey);
  disk.jobKeys.delete(folder.row.spec.id);
}

function revokeToken({ tokens }: MemoryDisk, hash: string, at: number): void {
  for (const [id, row] of tokens) if (row.hash === hash) tokens.set(id, { ...row, revokedAt: at });
}
