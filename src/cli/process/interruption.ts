// The signals that end a process: the first one asks it to end, a second one ends it at once.

import { exitCodes } from '../exit-codes.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Signals that are so close are one: `timeout`, a shell or npm sends it to a process and to its group, and a
 * launcher in the group hands on what it gets.
 */
const ONE_HAND_MS = 250;

/** Aborted by the first signal. */
export function interruption(): AbortSignal {
  const controller = new AbortController();
  const hear = calmly(() => {
    if (controller.signal.aborted) process.exit(exitCodes.interrupted.code);
    controller.abort(new Error('interrupted'));
  });
  for (const signal of SIGNALS) process.on(signal, hear);
  return controller.signal;
}

/** Leaves out calls that come from the same hand as the one before. */
export function calmly(hear: () => void, now: () => number = () => performance.now()): () => void {
  let heardMs = Number.NEGATIVE_INFINITY;
  return () => {
    if (now() - heardMs < ONE_HAND_MS) return;
    heardMs = now();
    hear();
  };
}

/** Resolves when the signal is aborted. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
