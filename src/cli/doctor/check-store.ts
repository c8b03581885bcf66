// Checks the database: whether it exists, can be written, is not in use, is whole and has a known
// version. Nothing is created, migrated or repaired.

import { existsSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { inspectFile } from '../../store/sqlite/file/inspect.ts';
import { lockFile } from '../../store/sqlite/file/file-lock.ts';
import { newestVersion } from '../../store/sqlite/file/migrate.ts';
import { storeFiles } from '../process/store-files.ts';
import { isWritable, nearestFolder } from './check-disk.ts';
import { type Finding, ok, problem } from './finding.ts';

export function checkStore(path: string): Finding {
  return existsSync(path) ? checkFile(realpathSync(path), path) : checkPlace(path);
}

/** A problem when there is no file at the path. */
export function checkPresence(path: string): Finding | undefined {
  if (existsSync(path)) return undefined;
  return problem('store', `there is no file ${path}`, 'Name the file of a database.');
}

function checkPlace(path: string): Finding {
  const folder = nearestFolder(dirname(path));
  if (isWritable(folder)) return ok('store', `${path} will be made by the first start`);
  return problem(
    'store',
    `${path} cannot be made: ${folder} may not be written`,
    'Choose another place with --data-dir or --store, or give this user the right to write there.',
  );
}

function checkFile(realPath: string, path: string): Finding {
  if (!isWritable(dirname(realPath))) {
    return problem(
      'store',
      `the folder of ${path} may not be written`,
      'Give this user the right to write there, or choose another place with --store.',
    );
  }
  try {
    const lock = lockFile(realPath);
    try {
      inspectFile(realPath, newestVersion);
    } finally {
      lock.release();
    }
  } catch (error) {
    return refusal(error, path);
  }
  return ok('store', `${path} is whole, and nobody has it open (${sizesOf(realPath)})`);
}

/** Most of a young database may still be in its log. */
function sizesOf(path: string): string {
  const { storeBytes, logBytes } = storeFiles(path);
  const kilobytes = (bytes: number) => `${Math.ceil(bytes / 1_024)} kB`;
  return logBytes === 0
    ? kilobytes(storeBytes)
    : `${kilobytes(storeBytes)}, and ${kilobytes(logBytes)} in its log`;
}

function refusal(error: unknown, path: string): Finding {
  const { code, message } = error as { code?: unknown; message: string };
  if (code === 'store_locked') return ok('store', `${path} is in use by a coordinator`);
  return problem('store', message, adviceFor(code));
}

function adviceFor(code: unknown): string {
  if (code === 'store_newer') return 'Start the newer version, or choose another --store.';
  if (code === 'store_damaged') return 'Restore a backup (docs/guides/recover.md); keep this file.';
  if (code === 'store_half_moved') return 'Run that command; no coordinator starts before.';
  return 'Choose another place with --data-dir or --store.';
}
