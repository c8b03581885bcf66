// What to do when tokens are needed and the admin's is not in the data folder, as after a restore or when its
// file was removed. Whoever runs the coordinator cannot be told to ask whoever runs it.

import { dirname } from 'node:path';
import { shownPath } from '../output-file.ts';
import { adminTokenFile, readAdminToken } from './access-files.ts';

export interface LostToken {
  readonly sentence: string;
  /** The same in two parts. */
  readonly finding: string;
  readonly advice: string;
}

/** Undefined while it is there. Ask only where tokens are needed and no other is shown. */
export function adminTokenLost(dataDir: string, folder: string): LostToken | undefined {
  if (readAdminToken(dataDir) !== undefined) return undefined;
  const isNot = `admin token is not in ${shownPath(dirname(adminTokenFile(dataDir)), folder)}`;
  return {
    sentence: `The ${isNot}: end ${makeAnother}`,
    finding: `the ${isNot}`,
    advice: `End ${makeAnother}`,
  };
}

const makeAnother =
  'the coordinator, make one with `muster token create --kind admin`, and start it again.';
