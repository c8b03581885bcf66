// Nobody but the person who runs a coordinator or a worker may read what it keeps: inputs, results and
// tokens. What a person asks to be written keeps the permissions that the person's shell gives.

import { chmodSync, lstatSync } from 'node:fs';
import { homedir } from 'node:os';

const privateMask = 0o077;
let personsMask: number | undefined;

/** From now on new folders of this process have mode 0700, and new files 0600. */
export function keepFilesPrivate(): void {
  personsMask ??= process.umask(privateMask);
}

/** Writes, before it returns, what the person has asked for. */
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
 * A folder that was there before. Not one that others own or share, nor the one that the person works
 * or lives in: it was made for something else.
 */
export function makeFolderPrivate(path: string, workingFolder: string): void {
  if (path !== workingFolder && path !== homedir()) tighten(path, 0o700);
}

/** A database that was there before, wherever it is, with the files beside it. */
export function makeStorePrivate(path: string): void {
  for (const suffix of ['', '-wal', '-shm', '.lock']) tighten(path + suffix, 0o600);
}

const othersBits = 0o077;
/** On a folder for everybody, like /tmp. */
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
    // It is not there yet, or it cannot be changed: whether that matters, its first use will tell.
  }
}
