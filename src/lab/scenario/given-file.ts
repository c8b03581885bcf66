// Reads a file that somebody has named. A pipe or a device might never end: only files are read, and none that are
// too large.

import { readFileSync, statSync } from 'node:fs';

/** Throws an `Error` whose message says in the middle of a sentence what is the matter: "is a folder". */
export function readGiven(path: string, mostBytes: number): Buffer {
  try {
    const found = statSync(path);
    if (found.isDirectory()) throw new NotReadable('is a folder');
    if (!found.isFile()) throw new NotReadable('is no file, but a pipe or a device');
    if (found.size > mostBytes) {
      throw new NotReadable(`is larger than ${Math.floor(mostBytes / 1_000_000)} MB`);
    }
    return readFileSync(path);
  } catch (error) {
    if (error instanceof NotReadable) throw error;
    throw new NotReadable(`cannot be read: ${whyNot(error as NodeJS.ErrnoException)}`);
  }
}

/** As `readGiven`, of a text in UTF-8; a mark at its beginning is left out. */
export function readGivenText(path: string, mostBytes: number): string {
  const bytes = readGiven(path, mostBytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new NotReadable('is no text in UTF-8: save it as that');
  }
}

class NotReadable extends Error {
  override readonly name = 'NotReadable';
}

function whyNot({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'ENOENT') return 'there is no such file';
  return code === 'EACCES' || code === 'EPERM' ? 'it may not be read' : message;
}
