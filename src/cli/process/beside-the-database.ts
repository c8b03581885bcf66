// What a coordinator keeps in its data folder beside the database, so that no backup of the database has it: the key
// by which its clients and workers know it, and the token of the admin.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { WholeReport } from '../../store/sqlite/check/whole-check.ts';

const keyFiles = 'tls-key.pem with tls-cert.pem';
const tokenFile = 'access/admin.token';

/** A line for who has made a backup; undefined when nothing lies there. */
export function notInBackup(dataDir: string, shown: string): string | undefined {
  const { key, token } = foundIn(dataDir);
  const found = [...(key ? [keyFiles] : []), ...(token ? [tokenFile] : [])];
  if (found.length === 0) return undefined;
  const why = key ? ': with another key, everybody who pins this one is shut out' : '';
  return `Not in it: ${found.join(', and ')} of ${shown}. Copy them too, and guard them as well${why}.`;
}

/** A line for who has restored one; undefined when nothing is missing. */
export function missingAfterRestore(
  dataDir: string,
  shown: string,
  { hasTokens, pin }: Pick<WholeReport, 'hasTokens' | 'pin'>,
): string | undefined {
  const { key, token } = foundIn(dataDir);
  const missesKey = pin !== null && !key;
  const missesToken = hasTokens && !token;
  const missing = [...(missesKey ? [keyFiles] : []), ...(missesToken ? [tokenFile] : [])];
  if (missing.length === 0) return undefined;
  const why = missesKey
    ? ` Without the key, the next start with --tls self-signed makes a new one, and everybody who pins ${pin} is shut out.`
    : ' Or make a new one before it starts: muster token create --kind admin.';
  return `Missing in ${shown}: ${missing.join(', and ')}. Copy them there from the old data folder first.${why}`;
}

function foundIn(dataDir: string): { readonly key: boolean; readonly token: boolean } {
  return {
    key: existsSync(join(dataDir, 'tls-key.pem')),
    token: existsSync(join(dataDir, 'access', 'admin.token')),
  };
}
