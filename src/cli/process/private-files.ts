// Makes the files of a coordinator or a worker private: they hold inputs, results and tokens, which only
// the user who runs it may read. Files that this user asks for get the permissions of the user's shell.

import { chmodSync, existsSync, lstatSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname } from 'node:path';
import { CommandFailure } from '../command-failure.ts';

const privateMask = 0o077;
let personsMask: number | undefined;

/** From now on new folders of this process have mode 0700, and new files 0600. */
export function keepFilesPrivate(): void {
  personsMask ??= process.umask(privateMask);
}

/** Runs `write`, which must be synchronous, with the permissions of the user's shell. */
export function asThePerson(write: () => void): void {
  if (personsMask === undefined) return write();
  process.umask(personsMask);
  try {
    write();
  } finally {
    process.umask(privateMask);
  }
}

/**
 * Makes a folder with those above it that are missing, one after the other: where a folder cannot come
 * to be, as in `/proc`, Node's own `recursive` tries for ever.
 */
export function makeFolder(path: string): void {
  const missing: string[] = [];
  for (let each = path; !existsSync(each); each = dirname(each)) missing.push(each);
  try {
    for (const each of missing.toReversed()) mkdirIfMissing(each);
  } catch (error) {
    const why = (error as Error).message;
    throw new CommandFailure(
      'cannotStart',
      `The folder ${path} cannot be made (${why}). Choose another one.`,
      [],
      error,
    );
  }
}

/** Another process may have made it meanwhile. */
function mkdirIfMissing(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/**
 * Makes a folder private that existed before; but not one that others own or share, nor the working or
 * home folder, which have other purposes.
 */
export function makeFolderPrivate(path: string, workingFolder: string): void {
  if (path !== workingFolder && path !== homedir()) tighten(path, 0o700);
}

/** Makes a database private that existed before, with the files beside it, wherever it is. */
export function makeStorePrivate(path: string): void {
  for (const suffix of ['', '-wal', '-shm', '.lock']) tighten(path + suffix, 0o600);
}

const othersBits = 0o077;
/** Set on a folder for everybody, like /tmp. */
const stickyBit = 0o1000;

function tighten(path: string, mode: number): void {
  if (process.platform === 'win32') return;
  try {
    const found = lstatSync(path);
    const isOurs = found.uid === process.getuid?.() && (found.isFile() || found.isDirectory());
    if (isOurs && (found.mode & othersBits) !== 0 && (found.mode & stickyBit) === 0) {
      chmodSync(path, mode);
    }
  } catch {
    // The file does not exist yet, or cannot be changed: if that matters, its first use will fail.
  }
}
