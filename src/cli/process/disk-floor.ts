// The floor of free disk: looks in the background how much room there is for the database, and tells the log
// when it becomes too little, and when there is enough again. Room is what is free on the disk, and what is free
// inside of the database, whose file does not shrink when jobs are removed.

import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Logger } from 'pino';
import type { DiskRoom } from '../../coordinator/port/disk-room.ts';
import { reusableBytes } from '../../store/sqlite/file/growth.ts';

const everyMs = 5_000;
/** While little is free. */
const oftenMs = 1_000;
/** So many times the floor are little. */
const closeTimes = 4;
/** While so much is taken in a second that the floor could be passed by far between two looks. */
const veryOftenMs = 100;
const veryCloseTimes = 2;
/** More than the floor is wanted again, so that the disk is not full and has room in turns. */
const roomAgain = 1.1;
/** To use what is free inside of the database, its log needs room on the disk. */
const mostReusedTimes = 4;

export interface DiskSpace {
  readonly freeBytes: number;
  /** Inside of the database. Asked only while little is free. */
  readonly reusableBytes: () => number;
}

export interface DiskFloorOptions {
  /** 0: there is none. */
  readonly floorBytes: number;
  readonly log: Pick<Logger, 'warn'>;
  readonly measure: () => Promise<DiskSpace>;
}

export class DiskFloor implements DiskRoom {
  isFull = false;
  freeBytes = Infinity;
  readonly #options: DiskFloorOptions;
  #timer: NodeJS.Timeout | undefined;
  #hasStopped = false;

  constructor(options: DiskFloorOptions) {
    this.#options = options;
  }

  get floorBytes(): number {
    return this.#options.floorBytes;
  }

  get detail(): string {
    const [free, floor] = [megabytes(this.freeBytes), megabytes(this.floorBytes)];
    return (
      `Only ${free} are left for the database of the coordinator, and ${floor} must stay free ` +
      '(--min-free-disk-mb): new jobs, blobs and checkpoints are refused until there is room. What is accepted ' +
      'goes on. Remove jobs that have ended (`muster delete --before 7d`), or make room elsewhere on that disk.'
    );
  }

  /** Resolves after the first look. */
  async start(): Promise<void> {
    if (this.floorBytes === 0) return;
    await this.look();
    if (this.#hasStopped) return;
    this.#timer = setTimeout(() => void this.start(), this.#pauseMs()).unref();
  }

  #pauseMs(): number {
    if (this.isFull) return oftenMs;
    if (this.freeBytes < veryCloseTimes * this.floorBytes) return veryOftenMs;
    return this.freeBytes < closeTimes * this.floorBytes ? oftenMs : everyMs;
  }

  stop(): void {
    this.#hasStopped = true;
    clearTimeout(this.#timer);
  }

  async look(): Promise<void> {
    const { floorBytes, measure, log } = this.#options;
    try {
      this.freeBytes = roomIn(await measure(), closeTimes * floorBytes);
    } catch {
      // A disk that cannot be asked is found out by the next commit.
      return;
    }
    if (!this.isFull && this.freeBytes < floorBytes) {
      this.isFull = true;
      log.warn(this.detail);
    } else if (this.isFull && this.freeBytes >= floorBytes * roomAgain) {
      this.isFull = false;
      log.warn(
        `There is room for the database again (${megabytes(this.freeBytes)}): everything is taken.`,
      );
    }
  }
}

function roomIn({ freeBytes, reusableBytes: reusable }: DiskSpace, littleBytes: number): number {
  if (freeBytes >= littleBytes) return freeBytes;
  return Math.min(freeBytes + orNothing(reusable), freeBytes * mostReusedTimes);
}

/** A database that is not there yet, or cannot be read just now, has nothing that could be used again. */
function orNothing(bytes: () => number): number {
  try {
    return bytes();
  } catch {
    return 0;
  }
}

/** `path`: of the database. */
export async function measureDisk(path: string): Promise<DiskSpace> {
  const { bavail, bsize } = await statfs(dirname(path));
  return { freeBytes: bavail * bsize, reusableBytes: () => reusableBytes(path) };
}

function megabytes(bytes: number): string {
  return `${Math.floor(bytes / 1e6)} MB`;
}
