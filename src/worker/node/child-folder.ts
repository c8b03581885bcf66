// The folder of one child: the only files beside its code that it may read. The agent puts blobs of jobs there, once
// however many of its jobs name them, and takes them away again when the child has forgotten the last of those.
//
// The names are numbers: nothing that a coordinator has made is a part of a path.

import { copyFileSync, constants, linkSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BlobContent } from '../executor.ts';
import type { LentBlob } from '../sandbox/messages.ts';

interface Lent {
  readonly name: string;
  jobs: number;
}

export class ChildFolder {
  readonly path: string;
  /** By hash. */
  readonly #lent = new Map<string, Lent>();
  /** By job, the hashes that it names. */
  readonly #jobs = new Map<string, readonly string[]>();
  #made = 0;

  constructor(path: string) {
    this.path = path;
    mkdirSync(path, { mode: 0o700 });
  }

  /** Throws what the file system says; then none of them is there for this job. */
  lend(jobId: string, blobs: ReadonlyMap<string, BlobContent>): readonly LentBlob[] {
    const hashes: string[] = [];
    this.#jobs.set(jobId, hashes);
    try {
      for (const [sha256, content] of blobs) {
        let lent = this.#lent.get(sha256);
        if (lent === undefined) {
          lent = { name: String(++this.#made), jobs: 0 };
          put(join(this.path, lent.name), content);
          this.#lent.set(sha256, lent);
        }
        lent.jobs += 1;
        hashes.push(sha256);
      }
    } catch (error) {
      this.takeBack(jobId);
      throw error;
    }
    return hashes.map((sha256) => [sha256, this.#lent.get(sha256)!.name]);
  }

  takeBack(jobId: string): void {
    for (const sha256 of this.#jobs.get(jobId) ?? []) {
      const lent = this.#lent.get(sha256);
      if (lent === undefined || --lent.jobs > 0) continue;
      this.#lent.delete(sha256);
      removeQuietly(join(this.path, lent.name));
    }
    this.#jobs.delete(jobId);
  }

  remove(): void {
    removeQuietly(this.path);
  }
}

/** A link where both are on one disk; else a copy. */
function put(path: string, content: BlobContent): void {
  if ('bytes' in content) return writeFileSync(path, content.bytes, { mode: 0o400, flag: 'wx' });
  try {
    linkSync(content.path, path);
  } catch {
    copyFileSync(content.path, path, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  }
}

/** What cannot be removed now goes with the folder around it. */
function removeQuietly(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    // Windows does not remove what somebody has open.
  }
}
