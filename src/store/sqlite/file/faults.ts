// Translates errors of SQLite into faults of the store. An error that is no fault of the disk (a wrong
// statement, a broken constraint) is a bug and passes through.

import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { StoreFault } from '../../store.ts';

/** Primary result codes, https://www.sqlite.org/rescode.html */
const BUSY = 5;
const LOCKED = 6;
const NOMEM = 7;
const READONLY = 8;
const IOERR = 10;
const CORRUPT = 11;
const FULL = 13;
const CANTOPEN = 14;
const NOTADB = 26;

/** `action` is what was being done. */
export function asFault(error: unknown, path: string, action: 'read' | 'write'): unknown {
  const code = primaryCode(error);
  switch (code) {
    case FULL:
      return full(path, error);
    case IOERR:
      // The index of the log finds no room either, and says only that.
      if (action === 'write' && isFull(path)) return full(path, error);
      return failed(error as Error, path, action);
    case NOMEM:
      return failed(error as Error, path, action);
    case READONLY:
    case CANTOPEN:
      return unwritable(path, error);
    case CORRUPT:
    case NOTADB:
      return damaged(path, (error as Error).message, error);
    case BUSY:
    case LOCKED:
      return new StoreFault(
        'store_locked',
        `Another program writes to the database ${path}.`,
        error,
      );
    default:
      return error;
  }
}

function full(path: string, cause: unknown): StoreFault {
  const sentence = `The disk is full: no space is left for the database ${path}.`;
  return new StoreFault('store_full', sentence, cause);
}

function failed(error: Error, path: string, action: 'read' | 'write'): StoreFault {
  return new StoreFault(
    action === 'read' ? 'store_read_failed' : 'store_write_failed',
    `The database ${path} could not be ${action === 'read' ? 'read' : 'written'} (${error.message}).`,
    error,
  );
}

/** What was written did not reach the disk. */
export function unsynced(path: string, error: NodeJS.ErrnoException): StoreFault {
  return error.code === 'ENOSPC' || error.code === 'EDQUOT'
    ? full(path, error)
    : failed(error, path, 'write');
}

/** SQLite asks for whole pages. */
const leastFreeBytes = 64 * 1024;

function isFull(path: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(dirname(path));
    return bavail * bsize < leastFreeBytes;
  } catch {
    return false;
  }
}

export function unwritable(path: string, cause: unknown): StoreFault {
  const reason = cause instanceof Error ? ` (${cause.message})` : '';
  return new StoreFault(
    'store_unwritable',
    `The database ${path} cannot be opened for writing${reason}.`,
    cause,
  );
}

/** The small files beside the database cannot be made: the disk is full, or the folder is not ours. */
export function unwritableFolder(path: string, cause: unknown): StoreFault {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new StoreFault(
    'store_unwritable',
    `Nothing can be written in the folder ${dirname(path)} of the database (${reason}).`,
    cause,
  );
}

export function damaged(path: string, what: string, cause?: unknown): StoreFault {
  return new StoreFault(
    'store_damaged',
    `${path} is not a usable Muster database: ${what}. It was left as it is: restore a copy, or ` +
      'choose another path.',
    cause,
  );
}

export function closed(): StoreFault {
  return new StoreFault('store_closed', 'The store is closed.');
}

export function isBusy(error: unknown): boolean {
  return primaryCode(error) === BUSY;
}

/** Whether SQLite found pages that make no sense. */
export function isCorrupt(error: unknown): boolean {
  const code = primaryCode(error);
  return code === CORRUPT || code === NOTADB;
}

function primaryCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error)) return undefined;
  return typeof error.errcode === 'number' ? error.errcode & 0xff : undefined;
}
