// The store of the simulator and of tests: exact, atomic, and gone with the process, unless its
// disk is kept. No timers: every promise it returns is settled already.

import type { CheckpointState } from '../../core/commands.ts';
import { isFinalTask } from '../../core/task-status.ts';
import type {
  AttemptRow,
  BlobRow,
  CheckpointRow,
  CheckpointSum,
  EndedJob,
  IdempotencyRow,
  JobRow,
  ProgramText,
  RecoveryRow,
  RecoverySum,
  StoredState,
  StoredTask,
  TaskRow,
  ThroughputSum,
  WorkerRow,
  WorkSum,
  WriteBatch,
} from '../rows.ts';
import {
  type BlobDraft,
  type JobFilter,
  type PeriodFilter,
  type Store,
  StoreFault,
} from '../store.ts';
import { resultBytes, type StoredStatus, seenThrough } from '../visibility.ts';
import * as blobs from './blobs.ts';
import * as history from './history.ts';
import { indicesFrom } from './index-order.ts';
import { loadDisk, storedTask } from './loading.ts';
import { createMemoryDisk, type JobFolder, type MemoryDisk } from './memory-disk.ts';
import { stageInputs, sweep, writeBatch } from './writing.ts';

/** Opening a disk shuts out the store that had it open before, as a crash does. */
export function createMemoryStore(disk: MemoryDisk = createMemoryDisk()): Store {
  return new MemoryStore(disk);
}

class MemoryStore implements Store {
  readonly #heldDisk: MemoryDisk;
  readonly #opened: number;
  #isClosed = false;

  constructor(disk: MemoryDisk) {
    this.#heldDisk = disk;
    this.#opened = ++disk.opened;
  }

  async load(): Promise<StoredState> {
    return loadDisk(this.#disk());
  }

  async commit(batch: WriteBatch, at: number): Promise<void> {
    writeBatch(this.#disk(), batch, at);
  }

  async stageInputs(
    jobKey: number,
    fromIndex: number,
    inputs: readonly string[],
    hashes: readonly string[] = [],
  ): Promise<void> {
    stageInputs(this.#disk(), jobKey, fromIndex, inputs, hashes);
  }

  async dropStaged(jobKey: number): Promise<void> {
    const staged = this.#disk().staged.get(jobKey);
    if (staged !== undefined) staged.dropped = true;
  }

  async sweep(rows: number): Promise<boolean> {
    return sweep(this.#disk(), rows);
  }

  async findJob(id: string): Promise<JobRow | undefined> {
    return this.#visible(this.#disk().jobKeys.get(id))?.row;
  }

  async findJobHead(id: string): Promise<JobRow | undefined> {
    const row = await this.findJob(id);
    return row && withoutPriorities(row);
  }

  async listJobs(
    filter: JobFilter,
    beforeKey: number | null,
    limit: number,
  ): Promise<readonly JobRow[]> {
    const { jobs, generation } = this.#disk();
    return [...jobs.values()]
      .map((folder) => folder.row)
      .filter((row) => row.spec.generation === generation)
      .filter((row) => beforeKey === null || row.spec.key < beforeKey)
      .filter((row) => filter.status === undefined || row.status === filter.status)
      .filter((row) => filter.clientId === undefined || row.spec.clientId === filter.clientId)
      .sort((a, b) => b.spec.key - a.spec.key)
      .slice(0, limit)
      .map(withoutPriorities);
  }

  async findProgram(jobKey: number): Promise<ProgramText | undefined> {
    const sha256 = await this.findProgramHash(jobKey);
    return sha256 === undefined ? undefined : this.#disk().programs.get(sha256)?.text;
  }

  async findProgramHash(jobKey: number): Promise<string | undefined> {
    return this.#visible(jobKey)?.programSha256 ?? undefined;
  }

  async readInputs(jobKey: number, indices: readonly number[]): Promise<readonly string[]> {
    const folder = this.#visible(jobKey);
    if (folder === undefined) return [];
    return indices.map((index) => {
      const input = folder.inputs[index];
      if (input === undefined) throw new Error(`job ${jobKey} has no input ${index}`);
      return input;
    });
  }

  async readTasks(
    tasks: readonly { jobKey: number; index: number }[],
  ): Promise<readonly StoredTask[]> {
    const found: StoredTask[] = [];
    for (const { jobKey, index } of tasks) {
      const folder = this.#visible(jobKey);
      const row = folder?.tasks.get(index);
      if (folder && row)
        found.push(storedTask(folder, withoutResult(seenThrough(folder.row, row))));
    }
    return found;
  }

  async listTasks(jobKey: number, fromIndex: number, limit: number): Promise<readonly TaskRow[]> {
    return this.#list(jobKey, fromIndex, limit, () => true).map(withoutResult);
  }

  async listResults(
    jobKey: number,
    fromIndex: number,
    limit: number,
    bytes: number,
  ): Promise<readonly TaskRow[]> {
    let left = bytes;
    return this.#list(jobKey, fromIndex, limit, (row, found) => {
      if (!isFinalTask(row.status)) return false;
      left -= resultBytes(row);
      return left >= 0 || found === 0 ? true : 'stop';
    });
  }

  async listTasksByStatus(
    jobKey: number,
    status: StoredStatus,
    fromIndex: number,
    limit: number,
  ): Promise<readonly StoredTask[]> {
    const folder = this.#visible(jobKey);
    if (folder === undefined) return [];
    const rows = this.#list(jobKey, fromIndex, limit, (row) => row.status === status);
    return rows.map((row) => storedTask(folder, withoutResult(row)));
  }

  async findTask(jobKey: number, index: number): Promise<TaskRow | undefined> {
    const folder = this.#visible(jobKey);
    const row = folder?.tasks.get(index);
    return folder && row && seenThrough(folder.row, row);
  }

  async listAttempts(jobKey: number, index: number): Promise<readonly AttemptRow[]> {
    const rows = this.#visible(jobKey)?.attempts.get(index)?.values() ?? [];
    return [...rows].sort((a, b) => a.attempt - b.attempt);
  }

  async listFailures(workerId: string, limit: number): Promise<readonly AttemptRow[]> {
    if ((await this.findWorker(workerId)) === undefined) return [];
    return [...(this.#disk().failures.get(workerId) ?? [])]
      .filter((row) => this.#visible(row.jobKey) !== undefined)
      .sort(newestFirst)
      .slice(0, limit);
  }

  async findWorker(id: string): Promise<WorkerRow | undefined> {
    const disk = this.#disk();
    const row = disk.workers.get(id);
    return row?.generation === disk.generation ? row : undefined;
  }

  async listRecoveries(
    beforeId: number | null,
    limit: number,
    filter: { readonly jobKey?: number } = {},
  ): Promise<readonly RecoveryRow[]> {
    return history.listRecoveries(this.#disk(), beforeId, limit, filter.jobKey);
  }

  async listCheckpoints(
    jobKey: number,
    afterId: number | null,
    limit: number,
    index?: number,
  ): Promise<readonly CheckpointRow[]> {
    return history.listCheckpoints(this.#disk(), jobKey, afterId ?? -1, limit, index);
  }

  async readCheckpointState(id: number): Promise<CheckpointState | undefined> {
    const kept = this.#disk().states.get(id);
    return this.#visible(kept?.checkpoint.jobKey) && kept?.state;
  }

  async putBlob(sha256: string, bytes: Uint8Array, at: number): Promise<void> {
    blobs.putBlob(this.#disk(), sha256, bytes, at);
  }

  beginBlob(): BlobDraft {
    const parts: Uint8Array[] = [];
    return {
      append: async (bytes) => void parts.push(bytes),
      finish: async (sha256, at) => {
        const isNew = blobs.findBlob(this.#disk(), sha256) === undefined;
        blobs.putBlob(this.#disk(), sha256, Buffer.concat(parts), at);
        return isNew;
      },
      abandon: () => undefined,
    };
  }

  async touchBlob(sha256: string, at: number): Promise<boolean> {
    return blobs.touchBlob(this.#disk(), sha256, at);
  }

  async findBlob(sha256: string): Promise<BlobRow | undefined> {
    return blobs.findBlob(this.#disk(), sha256)?.row;
  }

  async readBlob(sha256: string): Promise<Uint8Array | undefined> {
    return blobs.findBlob(this.#disk(), sha256)?.bytes;
  }

  async readBlobPart(sha256: string, fromByte: number): Promise<Uint8Array | undefined> {
    return blobs.findBlob(this.#disk(), sha256)?.bytes.subarray(fromByte);
  }

  async collectBlobs(before: number): Promise<boolean> {
    blobs.collectBlobs(this.#disk(), before);
    return false;
  }

  async findIdempotencyKey(key: string): Promise<IdempotencyRow | undefined> {
    const row = this.#disk().idempotencyKeys.get(key);
    return this.#visible(row?.jobKey) && row;
  }

  async sumWork(filter: PeriodFilter): Promise<readonly WorkSum[]> {
    return history.sumWork(this.#disk(), filter);
  }

  async sumThroughput(
    filter: Parameters<Store['sumThroughput']>[0],
  ): Promise<readonly ThroughputSum[]> {
    return history.sumThroughput(this.#disk(), filter);
  }

  async sumRecoveries(filter: PeriodFilter): Promise<RecoverySum> {
    return history.sumRecoveries(this.#disk(), filter);
  }

  async sumCheckpoints(filter: PeriodFilter): Promise<CheckpointSum> {
    return history.sumCheckpoints(this.#disk(), filter);
  }

  async *listEndedJobs(since: number | null): AsyncGenerator<readonly EndedJob[]> {
    yield history.listEndedJobs(this.#disk(), since);
  }

  async *listDepartedWorkers(since: number | null): AsyncGenerator<readonly WorkerRow[]> {
    yield history.listDepartedWorkers(this.#disk(), since);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
  }

  #disk(): MemoryDisk {
    if (this.#isClosed || this.#heldDisk.opened !== this.#opened) {
      throw new StoreFault('store_closed', 'The store is closed.');
    }
    return this.#heldDisk;
  }

  #visible(jobKey: number | undefined): JobFolder | undefined {
    const { jobs, generation } = this.#disk();
    const folder = jobKey === undefined ? undefined : jobs.get(jobKey);
    return folder?.row.spec.generation === generation ? folder : undefined;
  }

  #list(
    jobKey: number,
    fromIndex: number,
    limit: number,
    take: (row: TaskRow, found: number) => boolean | 'stop',
  ): TaskRow[] {
    const folder = this.#visible(jobKey);
    const rows: TaskRow[] = [];
    if (folder === undefined) return rows;
    for (const index of indicesFrom(folder, fromIndex)) {
      if (rows.length >= limit) break;
      const row = seenThrough(folder.row, folder.tasks.get(index)!);
      const answer = take(row, rows.length);
      if (answer === 'stop') break;
      if (answer) rows.push(row);
    }
    return rows;
  }
}

function withoutResult(row: TaskRow): TaskRow {
  return row.resultJson === null ? row : { ...row, resultJson: null };
}

function newestFirst(a: AttemptRow, b: AttemptRow): number {
  return b.endedAt - a.endedAt || b.jobKey - a.jobKey || b.index - a.index || b.attempt - a.attempt;
}

function withoutPriorities(row: JobRow): JobRow {
  return { ...row, spec: { ...row.spec, taskPriorities: null } };
}
