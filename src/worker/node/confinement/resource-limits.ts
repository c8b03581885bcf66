// Limits that the kernel enforces on a child, set by `prlimit` of util-linux.

import { existsSync } from 'node:fs';
import { release } from 'node:os';
import type { Measure } from './measure.ts';

/**
 * A child has about twenty descriptors open. The only file that it may write begins with the number of the
 * attempt that runs, in four bytes: the kernel ends a child that writes behind them, where the agent notes
 * its order to stop.
 */
export const resourceLimits: Measure = {
  wall: 'limits',
  around: ['prlimit', '--core=0', '--nofile=128', '--fsize=4'],
};

/** A Node process has about twelve threads. */
const threadsMax = 64;
/**
 * From this Linux on the limit counts within a user namespace; before, over all processes of a
 * user.
 */
const firstKernel = [5, 14] as const;

/**
 * The limit is set inside of bubblewrap: outside it would count all processes of the user, and stop
 * an honest child. It has no effect for a worker that root starts, because the kernel does not
 * apply it.
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

/** `version` is that of a kernel, like `6.1.0-13-amd64`. */
export function countsWithinNamespace(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > firstKernel[0] || (major === firstKernel[0] && minor >= firstKernel[1]);
}
