// Everything that changes a memory disk. Each function runs in one go: a crash is before or after.

import type { AttemptRow, JobPayload, JobRow, TaskRow, WriteBatch } from '../rows.ts';
import type { JobFolder, MemoryDisk } from './memory-disk.ts';

export function writeBatch(disk: MemoryDisk, batch: WriteBatch, at: number): void {
  for (const row of [...batch.tasks, ...batch.attempts]) assertJob(disk, batch, row.jobKey);
  for (const row of batch.jobs) writeJob(disk, row);
  for (const payload of batch.payloads) writePayload(disk, payload);
  for (const row of batch.tasks) writeTask(disk, row);
  for (const row of batch.attempts) writeAttempt(disk, row);
  for (const row of batch.workers) {
    disk.workers.set(row.id, row);
    disk.nextWorkerKey = Math.max(disk.nextWorkerKey, row.key + 1);
  }
  if (batch.config !== null) disk.config = batch.config;
  if (batch.generation !== null) disk.generation = batch.generation;
  disk.sequence = batch.sequence;
  disk.lastCommitAt = at;
}

export function stageInputs(
  disk: MemoryDisk,
  jobKey: number,
  fromIndex: number,
  inputs: readonly string[],
): void {
  let staged = disk.staged.get(jobKey);
  if (staged === undefined) {
    staged = { inputs: [], dropped: false };
    disk.staged.set(jobKey, staged);
  }
  for (let i = 0; i < inputs.length; i++) staged.inputs[fromIndex + i] = inputs[i]!;
  disk.nextJobKey = Math.max(disk.nextJobKey, jobKey + 1);
}

/** Whole jobs at a time: the bound is met within the size of one job. */
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
  return false;
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
  disk.jobs.set(key, {
    row,
    programJson: undefined,
    inputs: disk.staged.get(key)?.inputs ?? [],
    tasks: new Map(),
    order: [],
    attempts: new Map(),
  });
  disk.jobKeys.set(id, key);
  disk.staged.delete(key);
  disk.nextJobKey = Math.max(disk.nextJobKey, key + 1);
}

function writePayload(disk: MemoryDisk, payload: JobPayload): void {
  const folder = disk.jobs.get(payload.jobKey);
  if (folder === undefined) {
    // Cleared by the batch that submitted it.
    const staged = disk.staged.get(payload.jobKey);
    if (staged !== undefined) staged.dropped = true;
    return;
  }
  folder.programJson = payload.programJson;
  if (payload.inputs.length > 0) folder.inputs = payload.inputs;
}

function writeTask(disk: MemoryDisk, row: TaskRow): void {
  const folder = disk.jobs.get(row.jobKey)!;
  const before = folder.tasks.get(row.index);
  if (before === undefined) folder.order = null;
  const isKept = row.status === 'completed' && row.resultJson === null;
  const kept = isKept ? (before?.resultJson ?? null) : null;
  folder.tasks.set(row.index, kept === null ? row : { ...row, resultJson: kept });
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

function removeJob(disk: MemoryDisk, jobKey: number, folder: JobFolder): void {
  for (const ofTask of folder.attempts.values()) {
    for (const row of ofTask.values()) {
      const ofWorker = disk.failures.get(row.workerId);
      ofWorker?.delete(row);
      if (ofWorker?.size === 0) disk.failures.delete(row.workerId);
    }
  }
  disk.jobs.delete(jobKey);
  disk.jobKeys.delete(folder.row.spec.id);
}
