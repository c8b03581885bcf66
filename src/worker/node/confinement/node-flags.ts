// The flags of Node for a child: the permission model, and flags that take features away from code
// that has escaped from the realm. Flags that this version of Node does not know are left out.

import type { ChildCode } from '../entry-points.ts';
import { works } from './trial.ts';

export function nodeFlags(node: string, heapMb: number, { folders, files }: ChildCode): string[] {
  return [
    // Denies files, child processes, threads, native addons, WASI, the inspector; from Node 25 on
    // the network too.
    '--permission',
    ...folders.map((folder) => `--allow-fs-read=${folder}/*`),
    ...files.map((file) => `--allow-fs-read=${file}`),
    // To follow links Node would have to read the folders around the files above.
    '--preserve-symlinks',
    `--max-old-space-size=${heapMb}`,
    '--no-warnings',
    '--no-deprecation',
    ...narrowingFlags(node),
  ];
}

const narrowing = [
  // SQLite opens files without asking the permission model: any database of this person, and new
  // files anywhere.
  '--no-experimental-sqlite',
  // Calls into native libraries.
  '--no-experimental-ffi',
  '--no-addons',
  // A signal would open a debugger.
  '--disable-sigusr1',
  // What V8 has half shipped and the library of the hardened realm has never heard of:
  // `import.source(…)` reaches the loader of Node from where `import(…)` is refused. (Without explicit
  // resource management, Node 26 itself does not start.)
  '--no-js-source-phase-imports',
  '--no-js-defer-import-eval',
  '--no-js-decorators',
  '--no-harmony-shadow-realm',
  '--no-harmony-struct',
  '--no-global-search-paths',
  '--no-experimental-websocket',
  '--no-experimental-webstorage',
  '--no-experimental-global-navigator',
];

/** Returns the flags above that this Node knows. */
export function narrowingFlags(node: string): readonly string[] {
  if (works([node, ...narrowing, '--version'])) return narrowing;
  return narrowing.filter((flag) => works([node, flag, '--version']));
}
