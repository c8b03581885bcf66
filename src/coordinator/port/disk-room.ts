// Room on the disk of the store. Below a floor nothing is taken that brings data, so that what keeps accepted
// work alive (reports of workers, ends, deletions) has the rest.

export interface DiskRoom {
  /** Less is left than the floor, or hardly more since then. */
  readonly isFull: boolean;
  /** On the disk, and in the database where something was removed. */
  readonly freeBytes: number;
  readonly floorBytes: number;
  /** While it is full: a sentence that says so, and what to do. */
  readonly detail: string;
}

/** Where nobody measures, as in memory, there is always room. */
export const boundless: DiskRoom = {
  isFull: false,
  freeBytes: Infinity,
  floorBytes: 0,
  detail: '',
};
