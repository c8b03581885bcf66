// A measure of confinement: a part of the command line that starts Node. It may not work on every
// machine. A wall is what a measure gives: a protection that a person can read about.

import { works } from './trial.ts';

/** What each wall holds, and what a machine needs for it, in the words of `muster doctor`. */
export const walls = {
  realm: { holds: 'SES: a hardened realm, a compartment for each job', needs: '' },
  permissions: {
    holds: "Node's permission flags: no files, processes, threads or addons",
    needs: '',
  },
  limits: {
    holds: 'resource limits: 128 descriptors, files of 4 bytes, no core dumps',
    needs: '`prlimit`, which is in util-linux.',
  },
  privileges: {
    holds: 'no new privileges, and an end together with the worker',
    needs: 'bubblewrap, or `setpriv`, which is in util-linux.',
  },
  namespaces: {
    holds: 'bubblewrap: a file tree, a network, processes and users of its own',
    needs: 'bubblewrap.',
  },
  person: {
    holds: 'inside of it, the user `nobody` instead of this one',
    needs: 'user namespaces.',
  },
  nesting: {
    holds: 'no more user namespaces inside of it',
    needs: 'bubblewrap 0.8 or newer that is not installed setuid.',
  },
  host: { holds: 'a host name of its own', needs: 'a newer bubblewrap.' },
  calls: {
    holds: 'a filter of system calls: no sockets, no processes, few ways into the kernel',
    needs: 'x86_64 or arm64, and a kernel with seccomp.',
  },
  threads: {
    holds: 'at most 64 threads',
    needs: 'Linux 5.14 or newer, `prlimit`, and a user other than root.',
  },
} as const;

export type WallId = keyof typeof walls;

export interface Measure {
  readonly wall: WallId;
  /** A program with its options that starts the command after it. */
  readonly around?: readonly string[];
  /** Options of bubblewrap. */
  readonly options?: readonly string[];
  /** A program with its options that bubblewrap starts and that starts Node. */
  readonly inside?: readonly string[];
  readonly filter?: Uint8Array;
}

/**
 * The measures that work together, in their order. All of them usually do, which is tried first.
 * Null when the command does not even work without any.
 */
export function workable(
  measures: readonly Measure[],
  commandOf: (chosen: readonly Measure[]) => readonly string[],
): readonly Measure[] | null {
  const isGood = (chosen: readonly Measure[]) => works(commandOf(chosen), filterOf(chosen));
  if (isGood(measures)) return measures;
  if (!isGood([])) return null;
  const chosen: Measure[] = [];
  for (const measure of measures) {
    if (isGood([...chosen, measure])) chosen.push(measure);
  }
  return chosen;
}

export function filterOf(measures: readonly Measure[]): Uint8Array | null {
  return measures.find(({ filter }) => filter !== undefined)?.filter ?? null;
}
