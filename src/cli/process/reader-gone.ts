// What becomes of a process when nobody reads what it says any more.

import { exitCodes } from '../exit-codes.ts';

/** In `muster jobs | head` the reader stops early; that is no error. */
export function endQuietlyWithTheReader(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') process.exit(process.exitCode ?? exitCodes.ok.code);
      throw error;
    });
  }
}

/**
 * A worker has more to do than to be read: it leaves when it is told to, or when the process that has started
 * it is gone, and not at the next line of its log.
 */
export function goOnWithoutTheReader(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.removeAllListeners('error');
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }
}
