// How the filter of system calls reaches bubblewrap: as an open file that has no name.

import { closeSync, openSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** The descriptor in the child; bubblewrap reads it to its end and closes it. */
export const filterFd = 5;

let opened = 0;

/** A descriptor at the begin of the filter. The caller closes it when the child has been started. */
export function openFilter(folder: string, filter: Uint8Array): number {
  const path = join(folder, `muster-filter-${process.pid}-${++opened}`);
  const descriptor = openSync(path, 'wx+', 0o600);
  try {
    unlinkSync(path);
    // At a place of its own: what is written so does not move the place that is read from.
    writeSync(descriptor, filter, 0, filter.length, 0);
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
  return descriptor;
}
