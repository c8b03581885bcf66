// Blobs as files in a folder of the state directory, each named by its hash. They stay from one start to the next: a
// file that is there from before is compared with its name when it is first used.

import { createHash } from 'node:crypto';
import { createReadStream, rmSync } from 'node:fs';
import { mkdir, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { BlobContent } from '../executor.ts';
import type { BlobCabinet } from '../payloads/blob-shelf.ts';

const name = /^[0-9a-f]{64}$/;
/** Nobody writes to it again. */
const readable = 0o400;

export class BlobFolder implements BlobCabinet {
  readonly #path: string;
  /** Hashes of files that this process has written or compared. */
  readonly #checked = new Set<string>();

  constructor(path: string) {
    this.#path = path;
  }

  /** Removes what was left half-written. */
  async list(): Promise<readonly { readonly sha256: string; readonly sizeBytes: number }[]> {
    await mkdir(this.#path, { recursive: true, mode: 0o700 });
    const found: { sha256: string; sizeBytes: number; usedAt: number }[] = [];
    for (const file of await readdir(this.#path)) {
      const path = join(this.#path, file);
      if (!name.test(file)) {
        await rm(path, { force: true, recursive: true });
        continue;
      }
      const { size, mtimeMs } = await stat(path);
      found.push({ sha256: file, sizeBytes: size, usedAt: mtimeMs });
    }
    const inOrder = found.toSorted((a, b) => a.usedAt - b.usedAt);
    return inOrder.map(({ sha256, sizeBytes }) => ({ sha256, sizeBytes }));
  }

  async find(sha256: string): Promise<BlobContent | undefined> {
    const path = join(this.#path, sha256);
    try {
      const { size } = await stat(path);
      if (!this.#checked.has(sha256) && (await hashOf(path)) !== sha256) {
        await rm(path, { force: true });
        return undefined;
      }
      this.#checked.add(sha256);
      const now = new Date();
      // The order of use, for the next start.
      await utimes(path, now, now);
      return { path, sizeBytes: size };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  }

  async put(sha256: string, bytes: Uint8Array): Promise<BlobContent> {
    const path = join(this.#path, sha256);
    const draft = `${path}.${process.pid}.new`;
    try {
      await writeFile(draft, bytes, { mode: readable });
      await rename(draft, path);
    } catch (error) {
      await rm(draft, { force: true });
      const why = (error as Error).message;
      throw new Error(`A file of the job cannot be kept on this device: ${why}.`, { cause: error });
    }
    this.#checked.add(sha256);
    return { path, sizeBytes: bytes.length };
  }

  drop(sha256: string): void {
    this.#checked.delete(sha256);
    try {
      // At once: the same blob may be wanted again in a moment.
      rmSync(join(this.#path, sha256), { force: true });
    } catch {
      // What cannot be removed only takes room, and is met again at the next start.
    }
  }
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}
