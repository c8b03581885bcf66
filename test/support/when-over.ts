// What begins in a test ends with it, in the reverse order. Scripts that start the same things say themselves what
// they are over with.

import { onTestFinished } from 'vitest';

type End = () => unknown;

let script: End[] | undefined;

export function whenOver(end: End): void {
  if (script !== undefined) script.push(end);
  else onTestFinished(async () => void (await end()));
}

/** Runs what a script does outside of all tests, and ends what it has begun, however that went. */
export async function asScript<T>(run: () => Promise<T>): Promise<T> {
  const ends: End[] = [];
  script = ends;
  // What is waited for at the end may be a process that keeps nobody waiting.
  const staying = setInterval(() => undefined, 60_000);
  try {
    return await run();
  } finally {
    for (const end of ends.toReversed()) await end();
    script = undefined;
    clearInterval(staying);
  }
}
