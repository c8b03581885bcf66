// Limits that the kernel keeps for a child, set by `prlimit` of util-linux.

import { existsSync } from 'node:fs';
import { release } from 'node:os';
import type { Measure } from './measure.ts';

/**
 * A child has about twenty descriptors open. The only file that it may write is the one for the number
 * of its attempt, which has four bytes: whoever makes it larger is ended.
 */
export const resourceLimits: Measure = {
  wall: 'limits',
  around: ['prlimit', '--core=0', '--nofile=128', '--fsize=4'],
};

/** Of the twelve or so threads of a Node. */
const threadsMax = 64;
/** From this Linux on the limit counts within a user namespace; before, all that the person runs. */
const firstKernel = [5, 14] as const;

/**
 * Set inside of bubblewrap, because outside it would count what else this person runs, and stop an
 * honest child. Does not bind a worker that is started by root: the kernel excepts him.
 */
export function threadLimit(): Measure[] {
  const prlimit = ['/usr/bin/prlimit', '/bin/prlimit'].find((path) => existsSync(path));
  if (prlimit === undefined || !countsWithinNamespace(release()) || process.getuid?.() === 0) {
    return [];
  }
  return [
    {
      wall: 'threads',
      options: ['--ro-bind', prlimit, prlimit],
      inside: [prlimit, `--nproc=${threadsMax}`],
    },
  ];
}

/** Of a version like `6.1.0-13-amd64`. */
export function countsWithinNamespace(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > firstKernel[0] || (major === firstKernel[0] && minor >= firstKernel[1]);
}
