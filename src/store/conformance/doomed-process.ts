// A process that works on a database and is killed by its test.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';

/**
 * Runs a script on a database; it does not outlive the test. What it complains of is heard, unless the test makes it
 * complain.
 */
export function run(
  script: string,
  database: string,
  complaints: 'inherit' | 'ignore' = 'inherit',
): ChildProcess {
  const stdio: ('ignore' | 'pipe' | 'inherit')[] = ['ignore', 'pipe', complaints];
  const child = spawn(process.execPath, [script, database], { stdio });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  return child;
}

export async function kill(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  await once(child, 'close');
}

/** Resolves to what gives all that it has printed, when that are so many lines. */
export async function readUntil(child: ChildProcess, lines: number): Promise<() => string> {
  let text = '';
  child.stdout!.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  while (text.split('\n').length < lines) await once(child.stdout!, 'data');
  return () => text;
}
