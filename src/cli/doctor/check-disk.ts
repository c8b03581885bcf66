// Checks the disk of the data folder: whether it can be written, how much is free, and how long a durable
// write takes.

import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fdatasyncSync,
  openSync,
  rmSync,
  statfsSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { type Finding, ok, problem, warning } from './finding.ts';

const MB = 1024 * 1024;
const LEAST_MB = 100;
const COMFORTABLE_MB = 1024;
const WRITES = 20;
/** A commit waits for one or two durable writes. */
const SLOW_WRITE_MS = 20;
const MAKE_ROOM =
  'Make room on it, outside of the database: a coordinator that cannot commit ends, and to delete jobs ' +
  'takes room, too.';

const BELOW_FLOOR =
  'Less than --min-free-disk-mb: a coordinator refuses new jobs, blobs and checkpoints until there is room. ' +
  '`muster delete --before 7d` makes some inside of the database; else make room elsewhere on the disk.';

/** The folder itself, or the nearest one above it that exists. */
export function nearestFolder(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearestFolder(dirname(path));
}

export function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** `floorMb`: of 10^6 bytes, as the setting counts. */
export function checkDisk(dataDir: string, floorMb: number): Finding {
  const folder = nearestFolder(dataDir);
  const { bavail, bsize } = statfsSync(folder);
  return judgeFree((bavail * bsize) / MB, folder, (floorMb * 1e6) / MB);
}

export function judgeFree(freeMb: number, folder: string, floorMb = 0): Finding {
  const free = freeMb < 10_240 ? `${Math.floor(freeMb)} MB` : `${Math.floor(freeMb / 1_024)} GB`;
  const found = `${free} free at ${folder}`;
  if (freeMb < LEAST_MB) {
    return problem('disk', found, MAKE_ROOM);
  }
  if (freeMb < floorMb) return problem('disk', found, BELOW_FLOOR);
  if (freeMb < COMFORTABLE_MB) {
    return warning(
      'disk',
      found,
      'Enough to try; `muster delete` removes what is done with, while there is room to commit that.',
    );
  }
  return ok('disk', found);
}

/** Undefined when there is no folder where it can be tried. */
export function checkDurableWrite(dataDir: string): Finding | undefined {
  const folder = nearestFolder(dataDir);
  if (!isWritable(folder)) return undefined;
  let times: readonly number[];
  try {
    times = durableWrites(folder).toSorted((one, other) => one - other);
  } catch (error) {
    return refusedWrite(error as NodeJS.ErrnoException, folder);
  }
  const middle = times[times.length >> 1] ?? 0;
  const found = `one durable write takes ${middle.toFixed(middle < 1 ? 2 : 1)} ms`;
  if (middle <= SLOW_WRITE_MS) return ok('disk speed', found);
  return warning(
    'disk speed',
    found,
    'Every answer of the coordinator waits for one: put --data-dir on a faster disk.',
  );
}

function refusedWrite({ code = '', message }: NodeJS.ErrnoException, folder: string): Finding {
  const isFull = code === 'ENOSPC' || code === 'EDQUOT';
  return problem(
    'disk speed',
    isFull ? `nothing can be written: no space is left at ${folder}` : `cannot write: ${message}`,
    isFull
      ? MAKE_ROOM
      : 'Look at the disk and at the log of the system; keep a copy of the database elsewhere.',
  );
}

function durableWrites(folder: string): readonly number[] {
  const path = join(folder, `.muster-doctor-${process.pid}`);
  const file = openSync(path, 'w');
  try {
    const page = Buffer.alloc(4_096, 7);
    return Array.from({ length: WRITES }, (_, index) => {
      writeSync(file, page, 0, page.length, index * page.length);
      const startedMs = performance.now();
      fdatasyncSync(file);
      return performance.now() - startedMs;
    });
  } finally {
    closeSync(file);
    rmSync(path, { force: true });
  }
}
