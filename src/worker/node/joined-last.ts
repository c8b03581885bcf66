// The coordinator that a worker joined last, with its pin: with its own token, which lies beside it, that is all it
// needs to come back, and the link with which it joined may be lost.

import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withPin } from '../../transport/index.ts';

function fileIn(stateDir: string): string {
  return join(stateDir, 'coordinator');
}

/** Its address, undefined when there is none. */
export function readCoordinator(stateDir: string): string | undefined {
  try {
    return readFileSync(fileIn(stateDir), 'utf8').trim() || undefined;
  } catch {
    return undefined;
  }
}

export function saveCoordinator(stateDir: string, url: string, pin: string | undefined): void {
  const path = fileIn(stateDir);
  const draft = `${path}.${process.pid}.new`;
  writeFileSync(draft, `${pin === undefined ? url : withPin(url, pin)}\n`, { mode: 0o600 });
  renameSync(draft, path);
}
