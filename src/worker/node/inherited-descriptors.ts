// Keeps from a child the files and sockets that the agent inherited from its own parent. Node
// closes what it opened itself, but marks inherited descriptors only up to the first unused number.
// So one with a high number would be inherited by the sandbox, where Node's permission model does
// not check descriptors.

import { closeSync, fstatSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { hasLinuxKernel } from './platform.ts';

/** Descriptors that children would inherit. Only Linux lists them; on macOS none are inherited. */
function inherited(): number[] {
  if (!hasLinuxKernel()) return [];
  let listed: string[];
  try {
    listed = readdirSync('/proc/self/fdinfo');
  } catch {
    return opened();
  }
  return listed.map(Number).filter(isHandedOn);
}

/**
 * All open descriptors, for a system without /proc, where the agent's own cannot be told apart. A
 * child needs none of them.
 */
function opened(): number[] {
  return Array.from({ length: searchedDescriptors }, (_, descriptor) => descriptor).filter(isOpen);
}

/** The usual limit of open descriptors. */
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
    // This descriptor was the one that read the folder, and is closed by now.
    return false;
  }
}

/** Starts a child that gets an empty file in place of each such descriptor. */
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
