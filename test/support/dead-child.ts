// A process that was killed, and whose parent has not noticed: its number is taken, and it is gone. On Linux.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { expect } from 'vitest';

/** A process that has ended, and whose parent never asks what became of it; with the parent. */
export async function deadChild(): Promise<{ pid: number; started: string; parent: ChildProcess }> {
  const parent = spawn('sh', ['-c', 'sleep 100 & echo $!; exec sleep 100']);
  const [line] = await once(parent.stdout, 'data');
  const pid = Number(line);
  // A shell would notice the end of its child; what it becomes does not.
  const program = () => readFileSync(`/proc/${parent.pid}/comm`, 'utf8');
  await expect.poll(program).toBe('sleep\n');
  const fields = () => {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  };
  const started = fields()[19]!;
  process.kill(pid, 'SIGKILL');
  await expect.poll(() => fields()[0]).toBe('Z');
  return { pid, started, parent };
}
