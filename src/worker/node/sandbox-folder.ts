// The temporary folder of an executor: an empty place for children to work in, and room for files of
// the agent's own. Its path is noted in the state directory, so that the next agent there removes what
// a killed one left behind.

import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

const prefix = 'muster-sandbox-';

export class SandboxFolder {
  #path = '';
  readonly #notePath: string | null;

  /** Nobody else may use the state directory: what is noted there belongs to an agent that is gone. */
  constructor(stateDir: string | null) {
    this.#notePath = stateDir === null ? null : join(stateDir, 'sandbox-folder');
    if (this.#notePath !== null) removeNoted(this.#notePath);
    this.#make();
  }

  get path(): string {
    return this.#path;
  }

  get emptyPath(): string {
    return join(this.#path, 'empty');
  }

  /** Machines clean their temporary folders of what is old. A new name: the old one may be another's. */
  makeAgainIfGone(): void {
    if (!existsSync(this.emptyPath)) this.#make();
  }

  #make(): void {
    this.#path = mkdtempSync(join(tmpdir(), prefix));
    if (this.#notePath !== null) writeNote(this.#notePath, this.#path);
    mkdirSync(this.emptyPath);
    chmodSync(this.emptyPath, 0o555);
  }

  remove(): void {
    rmSync(this.#path, { recursive: true, force: true });
    if (this.#notePath !== null) rmSync(this.#notePath, { force: true });
  }
}

/** Anew: one that an older agent left could be read by others, and would stay so. */
function writeNote(notePath: string, path: string): void {
  rmSync(notePath, { force: true });
  writeFileSync(notePath, path, { mode: 0o600 });
}

function removeNoted(notePath: string): void {
  let path: string;
  try {
    path = readFileSync(notePath, 'utf8');
  } catch {
    return;
  }
  // Whatever the note says, nothing else than such a folder is removed.
  if (!basename(path).startsWith(prefix)) return;
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    // Left where it is: what an earlier agent forgot must not keep this one from starting.
  }
}
