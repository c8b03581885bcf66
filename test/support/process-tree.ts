// Processes as the kernel of Linux shows them: who descends from whom, and who is still there.

import { readdirSync, readFileSync } from 'node:fs';

export interface RunningProgram {
  readonly pid: number;
  /** In ticks since boot: a process id is given out again, this is not. */
  readonly started: string;
}

/** Children, their children, and so on. */
export function descendantsOf(pid: number): RunningProgram[] {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => stat(Number(name)))
    .filter((found) => found !== undefined);
  const found: RunningProgram[] = [];
  for (const parents = [pid]; parents.length > 0; ) {
    const parent = parents.pop();
    for (const each of all.filter(({ parentPid }) => parentPid === parent)) {
      found.push({ pid: each.pid, started: each.started });
      parents.push(each.pid);
    }
  }
  return found;
}

export function isRunning({ pid, started }: RunningProgram): boolean {
  const found = stat(pid);
  // A zombie runs no more; somebody has yet to ask how it ended.
  return found?.started === started && found.state !== 'Z';
}

/** Fields 3, 4 and 22 of /proc/PID/stat; the name before them may hold spaces and is skipped. */
function stat(pid: number) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return { pid, state: fields[0], parentPid: Number(fields[1]), started: fields[19] ?? '' };
  } catch {
    return undefined;
  }
}
