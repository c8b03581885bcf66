// Reads the visitors of a batch from a memory disk.

import { type IdempotencyRow, type JobRow, ownExpiry, type StoredTask } from '../rows.ts';
import { seenThrough } from '../visibility.ts';
import type {
  BlobSize,
  ExpiringWanted,
  Held,
  VisitorRows,
  WantedRows,
  Writing,
} from '../writing.ts';
import { findBlob, touchBlob } from './blobs.ts';
import { storedTask, withoutResult } from './loading.ts';
import type { JobFolder } from './memory-disk.ts';
import type { OpenDisk } from './open-disk.ts';

export class MemoryVisitorReading implements Pick<Writing, 'readVisitors'> {
  readonly #open: OpenDisk;

  constructor(open: OpenDisk) {
    this.#open = open;
  }

  async readVisitors(wanted: WantedRows, held: Held, at: number): Promise<VisitorRows> {
    const idempotencyKeys = [...wanted.idempotencyKeys].flatMap((key) => this.#key(key) ?? []);
    const ofKeys = idempotencyKeys.map(({ jobId }) => jobId);
    const named = new Set([...wanted.jobs, ...ofKeys, ...wanted.tasks.keys()]);
    return {
      idempotencyKeys,
      jobs: [...named].filter((id) => !held.has(id)).flatMap((id) => this.#folder(id)?.row ?? []),
      tasks: [...wanted.tasks].flatMap(([id, indices]) => this.#tasks(id, indices)),
      workers: [...wanted.workers].flatMap((id) => this.#open.worker(id) ?? []),
      blobs: [...wanted.blobs].flatMap((sha256) => this.#touch(sha256, at) ?? []),
      expiring: wanted.expiring === undefined ? [] : this.#expiring(wanted.expiring),
    };
  }

  #expiring({ limit, lists }: ExpiringWanted): readonly JobRow[] {
    const rows = this.#open.folders().map(({ row }) => row);
    const ended = rows.filter(({ completedAt }) => completedAt !== null);
    const found = lists.flatMap((list) => {
      const listed = ended.filter(
        (row) => list === 'all' || (ownExpiry(row) !== null) === (list === 'own'),
      );
      const momentOf = (row: JobRow) => (list === 'own' ? ownExpiry(row)! : row.completedAt!);
      listed.sort((a, b) => momentOf(a) - momentOf(b) || a.spec.key - b.spec.key);
      return listed.slice(0, limit);
    });
    return [...new Set(found)].map((row) => ({
      ...row,
      spec: { ...row.spec, taskPriorities: null },
    }));
  }

  #key(key: string): IdempotencyRow | undefined {
    const row = this.#open.disk.idempotencyKeys.get(key);
    return this.#open.see(row?.jobKey) && row;
  }

  #tasks(jobId: string, indices: ReadonlySet<number>): readonly StoredTask[] {
    const folder = this.#folder(jobId);
    if (folder === undefined) return [];
    return [...indices]
      .filter((index) => index < folder.row.spec.taskCount)
      .flatMap((index) => folder.tasks.get(index) ?? [])
      .map((row) => storedTask(folder, withoutResult(seenThrough(folder.row, row))));
  }

  #touch(sha256: string, at: number): BlobSize | undefined {
    const { disk } = this.#open;
    if (!touchBlob(disk, sha256, at)) return undefined;
    return { sha256, sizeBytes: findBlob(disk, sha256)!.row.sizeBytes };
  }

  #folder(jobId: string): JobFolder | undefined {
    return this.#open.see(this.#open.disk.jobKeys.get(jobId));
  }
}
