// The temporary folder of an executor: an empty place for children to work in, and room for files
// of the agent's own. Folders of children are in the state directory where there is one: there are the blobs
// that are put into them. Its path is noted in the state directory, so that the next agent there
// removes what a killed one left behind.

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
  readonly #keptChildren: string | null;

  /**
   * One agent uses the state directory at a time, so a folder noted there belongs to a dead agent.
   */
  constructor(stateDir: string | null) {
    this.#notePath = stateDir === null ? null : join(stateDir, 'sandbox-folder');
    if (this.#notePath !== null) removeNoted(this.#notePath);
    this.#keptChildren = stateDir === null ? null : join(stateDir, 'sandbox-children');
    if (this.#keptChildren !== null) rmSync(this.#keptChildren, { recursive: true, force: true });
    this.#make();
  }

  get path(): string {
    return this.#path;
  }

  get emptyPath(): string {
    return join(this.#path, 'empty');
  }

  /** Where each child has a folder of its own. */
  get childrenPath(): string {
    return this.#keptChildren ?? join(this.#path, 'children');
  }

  /**
   * Systems remove old files from their temporary folder. The new folder has a new name, because
   * somebody else may have taken the old one.
   */
  makeAgainIfGone(): void {
    if (!existsSync(this.emptyPath)) this.#make();
    else if (!existsSync(this.childrenPath)) this.#makeForChildren();
  }

  #make(): void {
    this.#path = mkdtempSync(join(tmpdir(), prefix));
    if (this.#notePath !== null) writeNote(this.#notePath, this.#path);
    mkdirSync(this.emptyPath);
    chmodSync(this.emptyPath, 0o555);
    this.#makeForChildren();
  }

  #makeForChildren(): void {
    mkdirSync(this.childrenPath, { recursive: true, mode: 0o700 });
  }

  remove(): void {
    rmSync(this.#path, { recursive: true, force: true });
    rmSync(this.childrenPath, { recursive: true, force: true });
    if (this.#notePath !== null) rmSync(this.#notePath, { force: true });
  }
}

/** Removes an old note first: writing to it would keep its mode, and others might read it. */
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
  // The note may be damaged: only a folder with this prefix is ever removed.
  if (!basename(path).startsWith(prefix)) return;
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    // The folder stays: what an earlier agent left must not keep this one from starting.
  }
}
