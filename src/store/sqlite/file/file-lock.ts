// One coordinator per database file: an exclusive lock on a small file beside it. The operating
// system releases it with the process, however that ends. It is not a lock on the database itself,
// so that other connections of the same process (checkpoints, exports) can read.

import { DatabaseSync } from 'node:sqlite';
import { StoreFault } from '../../store.ts';
import { isBusy, unwritableFolder } from './faults.ts';

export interface FileLock {
  release(): void;
}

/** `path` must be the real path of the database: a second name would be a second lock. */
export function lockFile(path: string): FileLock {
  const lockPath = `${path}.lock`;
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(lockPath, { timeout: 0 });
    // Nothing is ever written to it: the file stays empty.
    db.exec('pragma locking_mode = exclusive; begin exclusive');
  } catch (error) {
    db?.close();
    if (isBusy(error)) {
      throw new StoreFault('store_locked', `Another coordinator has ${path} open.`, error);
    }
    throw unwritableFolder(path, error);
  }
  const held = db;
  return { release: () => held.close() };
}
