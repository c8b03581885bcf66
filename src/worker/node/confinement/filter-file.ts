// Hands the filter of system calls to bubblewrap: as an open file that has no name any more.

import { closeSync, openSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** The descriptor in the child; bubblewrap reads it to its end and closes it. */
export const filterFd = 5;

let opened = 0;

/**
 * Opens the filter for reading from its start. The caller closes it when the child has been
 * started.
 */
export function openFilter(folder: string, filter: Uint8Array): number {
  const path = join(folder, `muster-filter-${process.pid}-${++opened}`);
  const descriptor = openSync(path, 'wx+', 0o600);
  try {
    unlinkSync(path);
    // A write with an explicit position does not move the position that bubblewrap reads from.
    writeSync(descriptor, filter, 0, filter.length, 0);
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
  return descriptor;
}
