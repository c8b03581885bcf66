// A file from which a database is moved. It is opened for reading only, and locked as a coordinator locks it.

import { existsSync, realpathSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { MoveSource } from '../../move/sides.ts';
import { StoreFault } from '../../store.ts';
import { checkWhole } from '../check/whole-check.ts';
import { asFault } from '../file/faults.ts';
import { type FileLock, lockFile } from '../file/file-lock.ts';
import {
  inspectFile,
  openForReading,
  readNumber,
  type ReadingConnection,
} from '../file/inspect.ts';
import { newestVersion } from '../file/migrate.ts';
import { FileSide } from './file-side.ts';

/** Throws a `StoreFault` when it is in use, is none, or is of another version. */
export function openFileSource(path: string): MoveSource {
  const whole = resolve(path);
  const isThere = existsSync(whole) && statSync(whole).isFile();
  if (!isThere) throw missing(whole);
  const realPath = realpathSync(whole);
  const lock = lockFile(realPath);
  let reading: ReadingConnection | undefined;
  try {
    if (!inspectFile(realPath, newestVersion)) throw missing(realPath);
    reading = openForReading(realPath);
    const version = readNumber(reading.db, 'pragma user_version');
    if (version < newestVersion) throw outdated(realPath, version);
    // All that is read from now on is of one moment.
    reading.db.exec('begin');
    return new FileSource(realPath, reading, lock);
  } catch (error) {
    reading?.close();
    lock.release();
    throw asFault(error, realPath, 'read');
  }
}

class FileSource extends FileSide implements MoveSource {
  readonly #reading: ReadingConnection;
  readonly #lock: FileLock;

  constructor(path: string, reading: ReadingConnection, lock: FileLock) {
    super(path);
    this.#reading = reading;
    this.#lock = lock;
  }

  protected get db(): DatabaseSync {
    return this.#reading.db;
  }

  async findDamage(tell: (values: number) => void): Promise<readonly string[]> {
    const { structure, sentences, damaged } = await checkWhole(this.path, tell);
    const found = [...structure, ...sentences];
    return found.length > 0 || damaged === 0 ? found : [`${damaged} values are damaged.`];
  }

  async close(): Promise<void> {
    this.#reading.close();
    this.#lock.release();
  }
}

function missing(path: string): StoreFault {
  return new StoreFault('store_unwritable', `There is no database at ${path}.`);
}

function outdated(path: string, version: number): StoreFault {
  return new StoreFault(
    'store_outdated',
    `${path} was written by an older version of Muster (schema ${version}, this one has ${newestVersion}). Start the ` +
      'coordinator on it once, which brings it up to date, end it, and move it then.',
  );
}
