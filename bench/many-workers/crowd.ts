// Starts the process that plays the workers of `many-workers`.

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** Workers that take tasks of the pool `crowd`, and how long one takes them: 2 000 tasks a second. */
export const doers = 50;
export const taskMs = 25;

/** Since it was asked last. */
export interface Heartbeats {
  readonly count: number;
  /** In ms, until the answer. */
  readonly p99: number;
  /** Workers of which the connection has ended. */
  readonly lost: number;
}

export interface RunningCrowd {
  heartbeats(): Promise<Heartbeats>;
  end(): Promise<void>;
}

/** Resolves when all workers have joined. */
export async function startCrowd(url: string, workers: number): Promise<RunningCrowd> {
  const path = join(import.meta.dirname, 'crowd-process.ts');
  const child: ChildProcess = fork(path, [url, String(workers)]);
  const exit = new AbortController();
  child.once('exit', () => exit.abort(new Error('The crowd has ended.')));
  const told = async () => {
    const [heartbeats] = await once(child, 'message', { signal: exit.signal });
    return heartbeats as Heartbeats;
  };
  await told();
  return {
    heartbeats: () => {
      child.send('heartbeats');
      return told();
    },
    end: async () => {
      if (child.exitCode !== null) return;
      const ended = once(child, 'exit');
      child.disconnect();
      await ended;
    },
  };
}
