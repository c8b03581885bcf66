// Finds out whether a command line works on this machine by running it, once per agent process.

import { spawnSync } from 'node:child_process';
import { closeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname } from 'node:path';
import { sandboxEntry } from '../entry-points.ts';
import { filterFd, openFilter } from './filter-file.ts';

const patienceMs = 10_000;
const tried = new Map<string, boolean>();

/** `filter`: of system calls, for bubblewrap to read from `filterFd`. */
export function works(command: readonly string[], filter: Uint8Array | null = null): boolean {
  const key = `${filter === null ? '' : 'filtered '}${command.join(' ')}`;
  let answer = tried.get(key);
  if (answer === undefined) tried.set(key, (answer = run(command, filter)));
  return answer;
}

function run([file = '', ...args]: readonly string[], filter: Uint8Array | null): boolean {
  const descriptor = filter === null ? null : openFilter(tmpdir(), filter);
  const unused = Array.from({ length: filterFd }, () => 'ignore' as const);
  try {
    const { status } = spawnSync(file, args, {
      env: {},
      cwd: dirname(sandboxEntry),
      stdio: [...unused, descriptor ?? 'ignore'],
      timeout: patienceMs,
      killSignal: 'SIGKILL',
    });
    return status === 0;
  } finally {
    if (descriptor !== null) closeSync(descriptor);
  }
}
