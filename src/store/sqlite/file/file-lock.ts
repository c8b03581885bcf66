// One coordinator per database file: an exclusive lock on a small file beside it. The operating
// system releases it with the process, however that ends. It is not a lock on the database itself,
// so that other connections of the same process (checkpoints, exports) can read.

import { readFileSync, statSync } from 'node:fs';
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
      throw new StoreFault('store_locked', lockedBy(holderOf(lockPath), path), error);
    }
    throw unwritableFolder(path, error);
  }
  const held = db;
  return { release: () => held.close() };
}

function lockedBy(pid: number | undefined, path: string): string {
  const [who, how] = pid === undefined ? ['', ''] : [` (process ${pid})`, ` (\`kill ${pid}\`)`];
  return (
    `Another coordinator${who} has ${path} open. ` +
    `Use that one, end it${how}, or choose another data folder.`
  );
}

/** Linux lists who holds which lock; elsewhere, and beyond a container, nobody knows. */
function holderOf(lockPath: string): number | undefined {
  try {
    const { ino } = statSync(lockPath);
    // Like `3: POSIX ADVISORY WRITE 4711 08:01:131090 1073741824 1073742335`.
    const line = readFileSync('/proc/locks', 'utf8')
      .split('\n')
      .find((each) => each.includes(`:${ino} `) && each.includes(' WRITE '));
    const pid = Number(/WRITE +(\d+) /.exec(line ?? '')?.[1]);
    return pid > 0 ? pid : undefined;
  } catch {
    return undefined;
  }
}
