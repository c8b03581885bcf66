// Files with the pids of running sandbox children, for systems whose kernel does not end a busy
// child together with its agent: the next agent in the same state directory ends the children left
// over.

import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startName } from './child-code/files.ts';
import { sandboxEntry } from './entry-points.ts';

export class PidFiles {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
    mkdirSync(folder, { recursive: true });
  }

  add(pid: number): void {
    writeFileSync(join(this.#folder, String(pid)), '');
  }

  remove(pid: number): void {
    rmSync(join(this.#folder, String(pid)), { force: true });
  }

  /** Kills children that still run. A pid that belongs to another program by now is left alone. */
  reap(): void {
    for (const name of readdirSync(this.#folder)) {
      const pid = Number(name);
      if (Number.isSafeInteger(pid) && pid > 1 && isSandboxChild(pid)) endProcess(pid);
      rmSync(join(this.#folder, name), { force: true });
    }
  }
}

function isSandboxChild(pid: number): boolean {
  try {
    const command =
      process.platform === 'win32'
        ? execFileSync('wmic', ['process', 'where', `ProcessId=${pid}`, 'get', 'CommandLine'])
        : execFileSync('ps', ['-o', 'command=', '-p', String(pid)]);
    return [sandboxEntry, startName].some((name) => command.includes(name));
  } catch {
    return false;
  }
}

function endProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended in between.
  }
}
