// What a server answers that is no coordinator may break a command anywhere. Then that is said, and not that the
// fault is Muster's. It is found out only afterwards, so that nothing is asked for it before.

import { CommandFailure, explain } from './command-failure.ts';
import { exitCodes } from './exit-codes.ts';

const answerMs = 2_000;

/** What the command asked. */
export interface Asked {
  readonly url?: string;
  readonly pin?: string;
}

/** The error to tell of: the same one, unless something else than a coordinator answers there. */
export async function foreignAnswer(error: unknown, { url, pin }: Asked): Promise<unknown> {
  if (explain(error).exitCode !== exitCodes.bug.code || url === undefined) return error;
  // Whoever has the pinned certificate is the coordinator.
  if (pin !== undefined || url.includes('#')) return error;
  if (!(await isForeign(url))) return error;
  return new CommandFailure(
    'unreachable',
    `What answers at ${url} is not a coordinator. Is this its address?`,
    ['Start one with `muster serve`, or name another with --url or MUSTER_URL.'],
    error,
  );
}

async function isForeign(url: string): Promise<boolean> {
  let text: string;
  try {
    const response = await fetch(`${url.replace(/\/+$/, '')}/readyz`, {
      redirect: 'manual',
      signal: AbortSignal.timeout(answerMs),
    });
    text = await response.text();
  } catch {
    // Nobody answers any more: who it was cannot be told.
    return false;
  }
  try {
    const { status } = JSON.parse(text) as { status?: unknown };
    return typeof status !== 'string';
  } catch {
    return true;
  }
}
