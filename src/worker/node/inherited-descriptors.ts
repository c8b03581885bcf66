// What a child must not get from its agent: the files and sockets that the agent's own parent left
// open. Node closes what it opened itself, and marks what it inherited up to the first gap only, so a
// descriptor with a high number would go on from process to process into the sandbox, where Node's
// permission model does not ask about descriptors.

import { closeSync, fstatSync, openSync, readdirSync, readFileSync } from 'node:fs';

/** Those of the agent that its children would inherit. Linux alone lists them; macOS hands on none. */
function inherited(): number[] {
  if (process.platform !== 'linux') return [];
  let listed: string[];
  try {
    listed = readdirSync('/proc/self/fdinfo');
  } catch {
    return opened();
  }
  return listed.map(Number).filter(isHandedOn);
}

/**
 * Where no /proc is mounted: all that are open, those of the agent's own too. Nobody can tell them apart,
 * and a child misses none of them.
 */
function opened(): number[] {
  return Array.from({ length: searchedDescriptors }, (_, descriptor) => descriptor).filter(isOpen);
}

/** What a process may have open where nobody has changed it. */
const searchedDescriptors = 1024;

function isOpen(descriptor: number): boolean {
  try {
    fstatSync(descriptor);
    return true;
  } catch {
    return false;
  }
}

/** `close-on-exec`, in the octal flags of the kernel. */
const closesOnExec = 0o2000000;

function isHandedOn(descriptor: number): boolean {
  try {
    const info = readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8');
    const flags = /^flags:\s+(\d+)$/m.exec(info)?.[1] ?? '0';
    return (Number.parseInt(flags, 8) & closesOnExec) === 0;
  } catch {
    // It was the one through which the folder was read.
    return false;
  }
}

/** Starts a child that finds nothing in the place of such descriptors. */
export function withoutInherited<Stdio, Child>(
  ours: readonly Stdio[],
  start: (stdio: (Stdio | 'ignore' | number)[]) => Child,
): Child {
  const stdio: (Stdio | 'ignore' | number)[] = Array.from(ours, (each) => each ?? 'ignore');
  const foreign = inherited().filter((descriptor) => {
    const own = stdio[descriptor];
    return descriptor > 2 && (own === undefined || own === 'ignore');
  });
  if (foreign.length === 0) return start(stdio);
  const nothing = openSync('/dev/null', 'r');
  try {
    while (stdio.length <= Math.max(...foreign)) stdio.push('ignore');
    for (const descriptor of foreign) stdio[descriptor] = nothing;
    return start(stdio);
  } finally {
    closeSync(nothing);
  }
}
