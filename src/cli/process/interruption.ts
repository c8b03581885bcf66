// The signals that end a process: the first one asks it to end, a second one ends it at once.

import { exitCodes } from '../exit-codes.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Aborted by the first signal. */
export function interruption(): AbortSignal {
  const controller = new AbortController();
  const hear = () => {
    if (controller.signal.aborted) process.exit(exitCodes.interrupted.code);
    controller.abort(new Error('interrupted'));
  };
  for (const signal of SIGNALS) process.on(signal, hear);
  return controller.signal;
}

/** Resolves when the signal is aborted. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
