// A file that is there with its whole content or not at all, and that only one of several processes can make.
// Where the system allows no hard links (Android), it is a symbolic link whose target is the content.

import { linkSync, readFileSync, readlinkSync, symlinkSync } from 'node:fs';

const notAllowed: ReadonlySet<string> = new Set([
  'EACCES',
  'EPERM',
  'ENOTSUP',
  'EOPNOTSUPP',
  'ENOSYS',
]);

/** False when it is there already. `draft`: a file with the content on the same disk, which stays. */
export function makeExclusively(draft: string, path: string): boolean {
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return false;
    if (!notAllowed.has(code)) throw error;
  }
  const content = readExclusive(draft);
  try {
    symlinkSync(content ?? '', path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Null when it is not there, or cannot be read. */
export function readExclusive(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    // It is no link.
  }
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
