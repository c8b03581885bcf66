// Looks every now and then how the process is, and tells the log when that changes: new work is refused,
// or taken again; the disk of the database fills up, or has room again.

import type { Logger } from 'pino';
import { duration } from '../text/wording.ts';

export interface ConditionWatchOptions {
  readonly log: Logger;
  readonly isOverloaded: () => boolean;
  /** Undefined when there is no disk to fill. */
  readonly freeBytes: (() => number) | undefined;
  /** Less is told; 0 for never. */
  readonly floorBytes: number;
  readonly now?: () => number;
}

const everyMs = 1_000;
/** The disk is looked at less often. */
const looksPerDiskLook = 30;
/** A disk at its floor would be told of again and again. */
const roomAgain = 1.1;

export class ConditionWatch {
  readonly #options: ConditionWatchOptions;
  readonly #now: () => number;
  #timer: NodeJS.Timeout | undefined;
  #looks = 0;
  #overloadedSince: number | undefined;
  /** Told of last; undefined while there is room. */
  #toldFree: number | undefined;

  constructor(options: ConditionWatchOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  start(): void {
    this.look();
    this.#timer = setInterval(() => this.look(), everyMs).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  look(): void {
    this.#lookAtLoad();
    if (this.#looks++ % looksPerDiskLook === 0) this.#lookAtDisk();
  }

  #lookAtLoad(): void {
    const { isOverloaded, log } = this.#options;
    if (isOverloaded() === (this.#overloadedSince !== undefined)) return;
    if (this.#overloadedSince === undefined) {
      this.#overloadedSince = this.#now();
      log.warn('There is too much to do: new work is refused with 503 until it has eased.');
      return;
    }
    const lasted = duration(this.#now() - this.#overloadedSince);
    this.#overloadedSince = undefined;
    log.warn(`New work is taken again; it was refused for ${lasted}.`);
  }

  #lookAtDisk(): void {
    const { freeBytes, floorBytes, log } = this.#options;
    if (freeBytes === undefined || floorBytes === 0) return;
    let free: number;
    try {
      free = freeBytes();
    } catch {
      // A disk that cannot be asked is found out by the next commit.
      return;
    }
    if (free < floorBytes && (this.#toldFree === undefined || free < this.#toldFree / 2)) {
      this.#toldFree = free;
      log.warn(
        `Only ${megabytes(free)} are free for the database: when the disk is full the coordinator ends, and ` +
          'no job can be deleted any more. Make room on the disk, or in the database while that is possible ' +
          '(`muster delete`, `serve --keep-days`).',
      );
    } else if (this.#toldFree !== undefined && free > floorBytes * roomAgain) {
      this.#toldFree = undefined;
      log.warn(`There is room for the database again: ${megabytes(free)} are free.`);
    }
  }
}

function megabytes(bytes: number): string {
  return `${Math.floor(bytes / 1e6)} MB`;
}
