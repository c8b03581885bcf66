// The signals that end a process: the first one asks it to end, a second one ends it at once.

import { closeSync, openSync } from 'node:fs';
import { exitCodes } from '../exit-codes.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Signals that are so close are one: `timeout`, a shell or npm sends it to a process and to its group, and a
 * launcher in the group hands on what it gets.
 */
const ONE_HAND_MS = 250;

export interface Hangup {
  /** Called at SIGHUP, which then ends nothing. */
  readonly onHangup: () => void;
  /** Then the signal may also mean that the terminal was closed, which ends the process as ever. */
  readonly isOnTerminal: boolean;
}

/** Aborted by the first signal. */
export function interruption(hangup?: Hangup): AbortSignal {
  const controller = new AbortController();
  const hear = calmly(() => {
    if (controller.signal.aborted) process.exit(exitCodes.interrupted.code);
    controller.abort(new Error('interrupted'));
  });
  for (const signal of SIGNALS) {
    process.on(signal, () => {
      if (signal !== 'SIGHUP' || hangup === undefined) return hear();
      if (hangup.isOnTerminal && isTerminalClosed()) return hear();
      hangup.onHangup();
    });
  }
  return controller.signal;
}

function isTerminalClosed(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r'));
    return false;
  } catch {
    return true;
  }
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
