// Starts the process that plays the lab of the dashboard's measurement.

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** What the process says once everything is there. */
export interface Lab {
  readonly biggestJob: string;
}

export interface RunningLab extends Lab {
  readonly pid: number;
  end(): Promise<void>;
}

export async function startLab(url: string): Promise<RunningLab> {
  const child: ChildProcess = fork(join(import.meta.dirname, 'lab-process.ts'), [url]);
  const [lab] = (await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => {
      throw new Error('The lab ended before it stood.');
    }),
  ])) as [Lab];
  return {
    ...lab,
    pid: child.pid!,
    end: async () => {
      const ended = once(child, 'exit');
      child.disconnect();
      await ended;
    },
  };
}
