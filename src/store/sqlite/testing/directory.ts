// A directory for one test, and a fingerprint of its files.

import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

export async function makeDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'muster-store-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  return directory;
}

/** Name and hash of every file but the lock. */
export async function fingerprint(directory: string): Promise<readonly string[]> {
  const names = (await readdir(directory)).filter((name) => !name.endsWith('.lock')).toSorted();
  return Promise.all(
    names.map(async (name) => {
      const content = await readFile(join(directory, name));
      return `${name} ${createHash('sha256').update(content).digest('hex')}`;
    }),
  );
}
