// How a sandbox child is confined when it is started: by Node's permission flags always, and by
// resource limits and bubblewrap where they work. The kernel ends a busy child together with its
// agent where it can. The parts are in `confinement/`; each is tried on this machine before it is
// relied on.

import { realpathSync } from 'node:fs';
import { bubblewrapCommand, bubblewrapMeasures } from './confinement/bubblewrap.ts';
import { filterOf, type Measure, type WallId, walls, workable } from './confinement/measure.ts';
import { nodeFlags } from './confinement/node-flags.ts';
import { resourceLimits } from './confinement/resource-limits.ts';
import { type ChildCode, childSources } from './entry-points.ts';

/** `auto`: bubblewrap where it works. `require`: no start without it. `off`: no bubblewrap. */
export const isolationUses = ['auto', 'require', 'off'] as const;
export type IsolationUse = (typeof isolationUses)[number];

export interface Wall {
  readonly id: WallId;
  readonly holds: string;
  /** What the machine needs for this wall. */
  readonly needs: string;
  readonly isInForce: boolean;
}

export interface Confinement {
  /** `ses`, or `ses+bubblewrap`. */
  readonly isolation: string;
  /** All walls that the operating system can have, in force or not. */
  readonly walls: readonly Wall[];
  /** False: the kernel does not end a busy child when its agent is killed. */
  readonly endsWithAgent: boolean;
  /**
   * The filter of system calls: each child needs it open on the descriptor `filterFd`. Null: none.
   */
  readonly filter: Uint8Array | null;
  /**
   * The command line of a child; `settings` is its only argument. Without `code` it runs the
   * sources.
   */
  command(
    settings: string,
    heapMb: number,
    code?: ChildCode,
  ): { readonly file: string; readonly args: string[] };
}

/** Bubblewrap is required and does not work. */
export class IsolationError extends Error {
  override readonly name = 'IsolationError';
  readonly code = 'no_bubblewrap';

  constructor() {
    super(`Bubblewrap is required, and does not work on this machine. ${bubblewrapAdvice()}`);
  }
}

/** What a person can do to have bubblewrap. */
export function bubblewrapAdvice(platform: string = process.platform): string {
  if (platform !== 'linux') return 'There is bubblewrap for Linux only.';
  return (
    'Install it (Debian, Ubuntu: `apt install bubblewrap`); where user namespaces are forbidden, ' +
    'allow them.'
  );
}

/** Throws an `IsolationError` when bubblewrap is required and does not work. */
export function chooseConfinement(nodePath: string, use: IsolationUse): Confinement {
  const node = realpathSync(nodePath);
  if (use !== 'off') {
    const found = process.platform === 'linux' ? withBubblewrap(node) : null;
    if (found !== null) return found;
    if (use === 'require') throw new IsolationError();
  }
  return withoutBubblewrap(node);
}

/** Arguments for a trial: Node starts completely, with its threads, and ends. */
const idle = ['-e', '0'];
const alwaysThere: readonly WallId[] = ['realm', 'permissions'];

function withBubblewrap(node: string): Confinement | null {
  const sources = childSources();
  const commandOf = (measures: readonly Measure[], code: ChildCode) =>
    bubblewrapCommand(node, measures, code);
  const chosen = workable(bubblewrapMeasures(), (measures) => [
    ...commandOf(measures, sources),
    ...idle,
  ]);
  if (chosen === null) return null;
  return {
    isolation: 'ses+bubblewrap',
    walls: wallsOf([...alwaysThere, 'namespaces'], chosen),
    endsWithAgent: true,
    filter: filterOf(chosen),
    command: commandFrom(node, (code) => commandOf(chosen, code)),
  };
}

function withoutBubblewrap(node: string): Confinement {
  const setpriv: Measure = {
    wall: 'privileges',
    around: ['setpriv', '--pdeathsig', 'KILL', '--no-new-privs'],
  };
  const commandOf = (measures: readonly Measure[]) => [
    ...measures.flatMap(({ around = [] }) => around),
    node,
  ];
  const isLinux = process.platform === 'linux';
  const possible = isLinux ? [resourceLimits, setpriv] : [];
  const chosen = workable(possible, (measures) => [...commandOf(measures), ...idle]) ?? [];
  return {
    isolation: 'ses',
    walls: wallsOf(alwaysThere, chosen),
    endsWithAgent: chosen.includes(setpriv),
    filter: null,
    command: commandFrom(node, () => commandOf(chosen)),
  };
}

function commandFrom(
  node: string,
  startOf: (code: ChildCode) => readonly string[],
): Confinement['command'] {
  return (settings, heapMb, code = childSources()) => {
    const command = [...startOf(code), ...nodeFlags(node, heapMb, code), code.entry, settings];
    const [file = node, ...args] = command;
    return { file, args };
  };
}

/** Bubblewrap also does what the measure `privileges` does elsewhere by `setpriv`. */
function wallsOf(certain: readonly WallId[], chosen: readonly Measure[]): Wall[] {
  const inForce = new Set<WallId>([...certain, ...chosen.map(({ wall }) => wall)]);
  if (inForce.has('namespaces')) inForce.add('privileges');
  const possible = Object.keys(walls) as WallId[];
  return possible
    .filter((id) => process.platform === 'linux' || alwaysThere.includes(id))
    .map((id) => ({ id, ...walls[id], isInForce: inForce.has(id) }));
}
