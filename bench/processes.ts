// Which process started which, as the operating system tells.

import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** Process ids of children, by that of their parent. */
export function children(): ReadonlyMap<number, readonly number[]> {
  const found = new Map<number, number[]>();
  for (const [pid, parent] of existsSync('/proc/self/stat') ? fromProc() : fromPs()) {
    const known = found.get(parent);
    if (known === undefined) found.set(parent, [pid]);
    else known.push(pid);
  }
  return found;
}

function* fromProc(): Generator<readonly [number, number]> {
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      // The name of the program is in brackets, and may have brackets and blanks in it.
      const [, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      yield [Number(name), Number(parent)];
    } catch {
      // It has ended meanwhile.
    }
  }
}

function* fromPs(): Generator<readonly [number, number]> {
  for (const line of execFileSync('ps', ['-axo', 'pid=,ppid='], { encoding: 'utf8' }).split('\n')) {
    const [pid, parent] = line.trim().split(/\s+/).map(Number);
    if (pid !== undefined && parent !== undefined) yield [pid, parent];
  }
}
