// The command line of bubblewrap: namespaces of every kind, and a file tree with only the files
// that Node needs to start. It has neither /proc nor /dev: Node needs neither, and inside a
// container that hides parts of its own /proc a new one cannot be mounted.

import { existsSync } from 'node:fs';
import type { ChildCode } from '../entry-points.ts';
import type { Measure } from './measure.ts';
import { filterFd } from './filter-file.ts';
import { resourceLimits, threadLimit } from './resource-limits.ts';
import { seccompFilter } from './seccomp-filter.ts';

/** In order of importance: where measures do not work together, the later one is given up. */
export function bubblewrapMeasures(): Measure[] {
  const filter = seccompFilter(process.arch);
  return [
    {
      wall: 'person',
      options: ['--unshare-user', '--uid', nobody, '--gid', nobody],
    },
    // Needs bubblewrap 0.8 or newer that is not installed setuid.
    { wall: 'nesting', options: ['--unshare-user', '--disable-userns'] },
    { wall: 'host', options: ['--hostname', 'sandbox'] },
    ...(filter === null
      ? []
      : [{ wall: 'calls', options: ['--seccomp', String(filterFd)], filter } as const]),
    resourceLimits,
    ...threadLimit(),
  ];
}

const nobody = '65534';

export function bubblewrapCommand(
  node: string,
  measures: readonly Measure[],
  { folders, files }: ChildCode,
): string[] {
  const systemFolders = ['/lib', '/lib64', '/usr/lib', '/usr/lib64', '/etc/ld.so.cache'];
  const readable = [
    ...systemFolders.filter((path) => existsSync(path)),
    node,
    ...folders,
    ...files,
  ];
  return [
    ...measures.flatMap(({ around = [] }) => around),
    'bwrap',
    '--unshare-all',
    '--die-with-parent',
    '--cap-drop',
    'ALL',
    ...readable.flatMap((path) => ['--ro-bind', path, path]),
    ...measures.flatMap(({ options = [] }) => options),
    '--dir',
    '/empty',
    '--chdir',
    '/empty',
    '--remount-ro',
    '/',
    '--',
    ...measures.flatMap(({ inside = [] }) => inside),
    node,
  ];
}
