// Looks at a database file before it is opened for writing, and refuses it with a reason. A file
// that is refused stays as it is, byte for byte, with its write-ahead log: it may be all that is
// left of a person's work.

import { closeSync, existsSync, fstatSync, openSync, readSync, rmSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { StoreFault } from '../../store.ts';
import { asFault, damaged, unwritable } from './faults.ts';
import { halfFault, halfId } from './half-file.ts';

/** In the header of every database of this program: 'MSTR'. */
export const applicationId = 0x4d535452;

/** Up to this size the whole structure is checked, beyond it only what a start needs. */
const fullCheckBytes = 32 * 1024 * 1024;

const magic = 'SQLite format 3\0';
const headerBytes = 100;

/** False when there is no database yet. Throws `StoreFault` when there is one not to be opened. */
export function inspectFile(path: string, newestVersion: number): boolean {
  const header = readHeader(path);
  const hasLog = fileSize(`${path}-wal`) > 0;
  if (header === undefined) {
    if (hasLog) throw damaged(path, `its log ${path}-wal is there, but the file is not`);
    return false;
  }
  if (!header.isDatabase) throw damaged(path, 'it is not an SQLite database');
  if (header.applicationId === halfId) {
    const fault = findHalf(path);
    if (fault !== undefined) throw fault;
  } else if (header.applicationId !== applicationId) {
    throw damaged(path, 'it belongs to another program');
  }
  if (!hasLog && header.missesPages) throw damaged(path, 'its end is missing');
  inspectContent(path, newestVersion);
  return true;
}

interface Header {
  readonly isDatabase: boolean;
  readonly applicationId: number;
  readonly missesPages: boolean;
}

/** https://www.sqlite.org/fileformat.html#the_database_header. Undefined: no file, or empty. */
function readHeader(path: string): Header | undefined {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw unwritable(path, error);
  }
  try {
    const { size } = fstatSync(file);
    if (size === 0) return undefined;
    const bytes = Buffer.alloc(headerBytes);
    const length = readSync(file, bytes, 0, headerBytes, 0);
    const pageBytes = bytes.readUInt16BE(16) === 1 ? 65536 : bytes.readUInt16BE(16);
    return {
      isDatabase: length === headerBytes && bytes.toString('latin1', 0, 16) === magic,
      applicationId: bytes.readUInt32BE(68),
      missesPages: size < bytes.readUInt32BE(28) * pageBytes,
    };
  } catch (error) {
    throw unwritable(path, error);
  } finally {
    closeSync(file);
  }
}

/** Whether a database is being moved into the file. */
export function isHalfFile(path: string): boolean {
  return readHeader(path)?.applicationId === halfId && findHalf(path) !== undefined;
}

/** That a move is at its end may be in the log only. */
function findHalf(path: string): StoreFault | undefined {
  let reading: ReadingConnection | undefined;
  try {
    reading = openForReading(path);
    if (readNumber(reading.db, 'pragma application_id') === applicationId) return undefined;
    return halfFault(reading.db, path);
  } catch (error) {
    throw asFault(error, path, 'read');
  } finally {
    reading?.close();
  }
}

/** Reads through SQLite, read-only: the newest version may be in the log only. */
function inspectContent(path: string, newestVersion: number): void {
  let reading: ReadingConnection | undefined;
  try {
    reading = openForReading(path);
    const version = readNumber(reading.db, 'pragma user_version');
    if (version > newestVersion) throw newer(path, version, newestVersion);
    checkStructure(reading.db, path);
  } catch (error) {
    throw asFault(error, path, 'read');
  } finally {
    reading?.close();
  }
}

export interface ReadingConnection {
  readonly db: DatabaseSync;
  close(): void;
}

/** Opens read-only, beside a coordinator or without one; leaves no new file behind. */
export function openForReading(path: string): ReadingConnection {
  const hasLog = fileSize(`${path}-wal`) > 0;
  const hadLogIndex = existsSync(`${path}-shm`);
  // With `immutable` SQLite makes no files beside it; but it cannot read a log then, which needs an index.
  const url = pathToFileURL(path);
  if (!hasLog && !hadLogIndex) url.searchParams.set('immutable', '1');
  const db = new DatabaseSync(hasLog || hadLogIndex ? path : url, { readOnly: true });
  return {
    db,
    close() {
      db.close();
      if (hasLog && !hadLogIndex) rmSync(`${path}-shm`, { force: true });
    },
  };
}

function checkStructure(db: DatabaseSync, path: string): void {
  const isSmall = fileSize(path) + fileSize(`${path}-wal`) <= fullCheckBytes;
  const check = isSmall ? 'pragma quick_check(1)' : 'pragma quick_check(meta)';
  const answer = Object.values(db.prepare(check).get() ?? {})[0];
  if (answer !== 'ok') throw damaged(path, String(answer));
}

function newer(path: string, version: number, newestVersion: number): StoreFault {
  return new StoreFault(
    'store_newer',
    `${path} was written by a newer version of Muster (schema ${version}, this version knows up ` +
      `to ${newestVersion}). It was left as it is: start the newer version, or choose another path.`,
  );
}

export function readNumber(db: DatabaseSync, pragma: string): number {
  return Number(Object.values(db.prepare(pragma).get() ?? {})[0]);
}

function fileSize(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
