// Certificates that lie in files: one of the operator's own, which somebody else renews, or one that was kept.

import { readFileSync, statSync } from 'node:fs';
import {
  checkCredentials,
  type Credentials,
  CredentialsFault,
  type CredentialsFiles,
} from './credentials.ts';

/** Throws a `CredentialsFault`. */
export function readCredentials(
  kind: Credentials['kind'],
  files: CredentialsFiles,
  now: Date,
): Credentials {
  const cert = readText(files.certFile, 'certificate');
  const key = readText(files.keyFile, 'key');
  return checkCredentials(kind, { cert, key }, files, now);
}

/** Another text as soon as one of the files is another; links are followed. */
export function markOfFiles({ certFile, keyFile }: CredentialsFiles): string {
  return [certFile, keyFile]
    .map((file) => {
      const found = statSync(file, { throwIfNoEntry: false });
      return found === undefined ? 'none' : `${found.ino} ${found.size} ${found.mtimeMs}`;
    })
    .join(', ');
}

function readText(file: string, what: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const why =
      code === 'ENOENT'
        ? 'there is no such file'
        : code === 'EACCES'
          ? 'this user may not read it'
          : message;
    throw new CredentialsFault(`The ${what} ${file} cannot be read: ${why}.`, { cause: error });
  }
}
