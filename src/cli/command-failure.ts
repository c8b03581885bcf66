// A command that ends with a sentence for the person and a code for the script.

import { type ExitName, exitCodes } from './exit-codes.ts';

export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
  readonly exit: ExitName;
  /** What to try next, a line each. */
  readonly advice: readonly string[];

  constructor(exit: ExitName, sentence: string, advice: readonly string[] = [], cause?: unknown) {
    super(sentence, { cause });
    this.exit = exit;
    this.advice = advice;
  }

  get exitCode(): number {
    return exitCodes[this.exit].code;
  }
}

/** Errors of the rooms below whose messages are sentences for a person already. */
const CANNOT_START = new Set(['StoreFault', 'StateDirectoryError', 'IsolationError']);

export interface Explanation {
  readonly exitCode: number;
  /** Without colour; the first is the sentence itself. */
  readonly lines: readonly string[];
}

/** Any error → what to say. By shape, not by class: this file must not load the rooms it explains. */
export function explain(error: unknown): Explanation {
  if (error instanceof CommandFailure) {
    return { exitCode: error.exitCode, lines: [error.message, ...error.advice] };
  }
  if (!(error instanceof Error)) return { exitCode: exitCodes.bug.code, lines: [String(error)] };
  if (error.name === 'ConnectionError') return explainConnection(error);
  if (error.name === 'MusterError') return explainRefusal(error);
  if (CANNOT_START.has(error.name)) {
    return { exitCode: exitCodes.cannotStart.code, lines: [error.message] };
  }
  return {
    exitCode: exitCodes.bug.code,
    lines: `This is a fault of muster itself: ${error.stack ?? error.message}`.split('\n'),
  };
}

function explainConnection(error: Error): Explanation {
  const advice = 'Start one with `muster serve`, or name another with --url or MUSTER_URL.';
  const isThere = (error as { reason?: unknown }).reason === 'timeout';
  return {
    exitCode: exitCodes.unreachable.code,
    lines: isThere ? [error.message] : [error.message, advice],
  };
}

function explainRefusal(error: Error): Explanation {
  const { errors = [] } = error as { errors?: readonly { path: string; message: string }[] };
  // The sentence tells the first one already.
  const more = errors.filter(({ message }) => !error.message.includes(message));
  return {
    exitCode: exitCodes.refused.code,
    lines: [error.message, ...more.map(({ path, message }) => `  ${path}: ${message}`)],
  };
}
