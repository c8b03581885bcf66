// A whole copy of a database, made while others write to it: all pages as they were at one commit. What
// is written meanwhile stays in the log until the copy is there, so it should not take longer than it must.

import { backup, DatabaseSync } from 'node:sqlite';
import { asFault } from './faults.ts';
import { openForReading, type ReadingConnection } from './inspect.ts';

/** Some milliseconds of work, in a thread of its own. */
const pagesPerStep = 1_000;
/** Somebody may be closing the database at this moment. */
const lockTimeoutMs = 5_000;

/**
 * `tell` hears of the progress, from 0 to 1; when it throws, the copy is broken off. `to` must not be
 * there. Throws `StoreFault`.
 */
export async function copyDatabase(
  from: string,
  to: string,
  tell: (progress: number) => void = () => undefined,
): Promise<void> {
  const source = openAtOneCommit(from);
  try {
    await backup(source.db, to, {
      rate: pagesPerStep,
      progress: ({ totalPages, remainingPages }) => tell(1 - remainingPages / totalPages),
    });
  } catch (error) {
    throw asFault(error, to, 'write');
  } finally {
    source.close();
  }
}

/**
 * A connection like any other, so that a coordinator may start meanwhile; where nothing can be written
 * nobody can start one either.
 */
function openAtOneCommit(path: string): ReadingConnection {
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(path, { timeout: lockTimeoutMs });
    db.exec('pragma query_only = on');
    beginReading(db);
    const opened = db;
    return { db, close: () => opened.close() };
  } catch (error) {
    db?.close();
    const fault = asFault(error, path, 'read');
    if ((fault as { code?: unknown }).code !== 'store_unwritable') throw fault;
  }
  const reading = openForReading(path);
  beginReading(reading.db);
  return reading;
}

/** A transaction reads what was committed before its first read. */
function beginReading(db: DatabaseSync): void {
  db.exec('begin');
  db.prepare('select count(*) from sqlite_schema').get();
}
