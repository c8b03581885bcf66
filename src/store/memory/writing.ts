// The writing part of the port, on a memory disk.

import type { StoredState, WriteBatch } from '../rows.ts';
import type { InputStaging } from '../staging.ts';
import type { AuditKept, Writing } from '../writing.ts';
import { pruneWorkers, sweep, trimAudit, writeBatch } from './changes.ts';
import { loadDisk } from './loading.ts';
import type { OpenDisk } from './open-disk.ts';
import { isWhole, stageInputs } from './staged.ts';

export class MemoryInputStaging implements InputStaging {
  readonly #open: OpenDisk;

  constructor(open: OpenDisk) {
    this.#open = open;
  }

  async stageInputs(
    jobKey: number,
    fromIndex: number,
    inputs: readonly string[],
    blobs: readonly string[] = [],
  ): Promise<boolean> {
    return stageInputs(this.#open.disk, jobKey, fromIndex, inputs, blobs);
  }

  async sealStaged(jobKey: number, count: number): Promise<boolean> {
    return isWhole(this.#open.disk, jobKey, count);
  }

  async dropStaged(jobKey: number): Promise<void> {
    const staged = this.#open.disk.staged.get(jobKey);
    if (staged !== undefined) staged.dropped = true;
  }
}

export class MemoryWriting implements Omit<Writing, 'collectBlobs' | 'readVisitors'> {
  readonly #open: OpenDisk;

  constructor(open: OpenDisk) {
    this.#open = open;
  }

  async load(): Promise<StoredState> {
    return loadDisk(this.#open.disk);
  }

  async reserveJobKeys(count: number): Promise<number> {
    const { disk } = this.#open;
    const first = disk.nextJobKey;
    disk.nextJobKey += count;
    return first;
  }

  async commit(batch: WriteBatch, at: number): Promise<void> {
    writeBatch(this.#open.disk, batch, at);
  }

  async confirm(): Promise<void> {
    void this.#open.disk;
  }

  /** Rows are at hand: no sums are kept. */
  async keepSums(): Promise<boolean> {
    return false;
  }

  async pruneWorkers(rows: number): Promise<boolean> {
    return pruneWorkers(this.#open.disk, rows);
  }

  async trimAudit(kept: AuditKept, rows: number): Promise<boolean> {
    return trimAudit(this.#open.disk, kept, rows);
  }

  async sweep(rows: number): Promise<boolean> {
    return sweep(this.#open.disk, rows);
  }
}
