// How a sandbox child is started: Node's permission flags always, bubblewrap around it where it
// works, and some way for a child in a busy loop to end when its agent is killed.

import { spawnSync } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { sandboxEntry, sandboxReadable } from './entry-points.ts';

export type BubblewrapUse = 'auto' | 'off' | 'require';

export interface Confinement {
  /** `ses`, or `ses+bubblewrap`. */
  readonly isolation: string;
  /** False: the kernel does not end a busy child when its agent is killed. */
  readonly endsWithAgent: boolean;
  /** The command line of a child; `settings` is its only argument. */
  command(settings: string, heapMb: number): { readonly file: string; readonly args: string[] };
}

/** Throws when bubblewrap is required and does not work. */
export function chooseConfinement(nodePath: string, bubblewrap: BubblewrapUse): Confinement {
  const node = realpathSync(nodePath);
  const nodeCommand = (settings: string, heapMb: number) => [
    node,
    ...nodeFlags(heapMb),
    ...languageFlags(node),
    sandboxEntry,
    settings,
  ];
  if (bubblewrap !== 'off') {
    const bwrap = bubblewrapCommand(node);
    if (works([...bwrap, node, '--version'])) return confinement('ses+bubblewrap', bwrap);
    if (bubblewrap === 'require') {
      throw new Error('bubblewrap is required, and `bwrap` does not work on this machine');
    }
  }
  const setpriv = ['setpriv', '--pdeathsig', 'KILL', '--no-new-privs'];
  return confinement('ses', works([...setpriv, node, '--version']) ? setpriv : []);

  function confinement(isolation: string, prefix: readonly string[]): Confinement {
    return {
      isolation,
      endsWithAgent: prefix.length > 0,
      command(settings, heapMb) {
        const [file = node, ...args] = [...prefix, ...nodeCommand(settings, heapMb)];
        return { file, args };
      },
    };
  }
}

function nodeFlags(heapMb: number): string[] {
  const { folder, files } = sandboxReadable();
  return [
    // Denies files, child processes, threads, native addons, WASI; from Node 25 on the network too.
    '--permission',
    `--allow-fs-read=${folder}/*`,
    ...files.map((file) => `--allow-fs-read=${file}`),
    // To follow a link it would have to read what lies around the files above.
    '--preserve-symlinks',
    `--max-old-space-size=${heapMb}`,
    '--no-warnings',
    '--no-deprecation',
  ];
}

/**
 * Switches off what V8 has half shipped and the hardened realm's library has never heard of. (Without
 * explicit resource management, Node 26 itself does not start.)
 */
function languageFlags(node: string): readonly string[] {
  const flags = [
    '--no-js-source-phase-imports',
    '--no-js-defer-import-eval',
    '--no-js-decorators',
    '--no-harmony-shadow-realm',
    '--no-harmony-struct',
  ];
  if (works([node, ...flags, '--version'])) return flags;
  return flags.filter((flag) => works([node, flag, '--version']));
}

/** New namespaces of every kind, and a file tree of nothing but what Node needs to start. */
function bubblewrapCommand(node: string): string[] {
  const { folder, files } = sandboxReadable();
  const systemFolders = ['/lib', '/lib64', '/usr/lib', '/usr/lib64', '/etc/ld.so.cache'];
  const readable = [...systemFolders.filter((path) => existsSync(path)), node, folder, ...files];
  return [
    'bwrap',
    '--unshare-all',
    '--die-with-parent',
    '--cap-drop',
    'ALL',
    ...readable.flatMap((path) => ['--ro-bind', path, path]),
    '--dev',
    '/dev',
    '--proc',
    '/proc',
    '--dir',
    '/empty',
    '--chdir',
    '/empty',
    '--remount-ro',
    '/',
  ];
}

const tried = new Map<string, boolean>();

/** Tried once per process and command. */
function works(command: readonly string[]): boolean {
  const key = command.join(' ');
  const known = tried.get(key);
  if (known !== undefined) return known;
  const [file = '', ...args] = command;
  const { status } = spawnSync(file, args, {
    env: {},
    cwd: dirname(sandboxEntry),
    stdio: 'ignore',
    timeout: 10_000,
  });
  tried.set(key, status === 0);
  return status === 0;
}
