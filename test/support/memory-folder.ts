// A folder in memory for the files of one run of the tests, where this system has such a place with room in it:
// what is committed waits for no disk there. Nothing of it stays.

import { mkdirSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';

const shared = '/dev/shm';
const tmpfs = 0x01021994;
const neededBytes = 2 ** 30;
const all = join(shared, 'muster-tests');

/** For the environment of the tests; empty where files lie on the disk as ever. */
export const inMemory: Readonly<Record<string, string>> = hasRoom()
  ? { TMPDIR: join(all, String(process.pid)) }
  : {};

export function setup(): void {
  const { TMPDIR: own } = inMemory;
  if (own === undefined) return;
  mkdirSync(own, { recursive: true });
  // Of runs that were killed.
  for (const name of readdirSync(all).filter((pid) => !isAlive(Number(pid)))) {
    rmSync(join(all, name), { recursive: true, force: true });
  }
}

export function teardown(): void {
  const { TMPDIR: own } = inMemory;
  if (own !== undefined) rmSync(own, { recursive: true, force: true });
}

function hasRoom(): boolean {
  try {
    const { type, bavail, bsize } = statfsSync(shared);
    return type === tmpfs && bavail * bsize >= neededBytes;
  } catch {
    return false;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
