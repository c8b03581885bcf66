// The failure of a command: a sentence for a person and an exit code for a script.

import { type ExitName, exitCodes } from './exit-codes.ts';

export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
  readonly exit: ExitName;
  /** Lines that say what to try next. */
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

/** Errors of other rooms whose messages are sentences for a person already. */
const CANNOT_START = new Set([
  'StoreFault',
  'CredentialsFault',
  'StateDirectoryError',
  'IsolationError',
]);

/** Says in the log of a process that runs for long why it cannot go on. Returns its exit code. */
export function sayLastWords(
  error: unknown,
  log: { readonly end: (sentence: string, advice: readonly string[]) => void },
): number {
  const { exitCode, lines } = explain(error);
  const [sentence = '', ...advice] = lines;
  log.end(sentence, advice);
  return exitCode;
}

/** Of the lab: what was given is wrong. */
const WRONG_USE = new Set([
  'ScenarioFault',
  'TraceFault',
  'ContenderFault',
  'ReportFault',
  'CellFault',
]);

export interface Explanation {
  readonly exitCode: number;
  /** Without colour; the first line is the sentence, the others are advice. */
  readonly lines: readonly string[];
}

/** Explains any error. It goes by names, not classes: this file must not load the rooms of the errors. */
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
  if (WRONG_USE.has(error.name)) {
    // What was given is told in it: it stays one line.
    return { exitCode: exitCodes.usage.code, lines: [error.message.replaceAll(/\s*\n\s*/g, ' ')] };
  }
  return {
    exitCode: exitCodes.bug.code,
    lines: `This is a fault of muster itself: ${error.stack ?? error.message}`.split('\n'),
  };
}

function explainConnection(error: Error): Explanation {
  const advice = 'Start one with `muster serve`, or name another with --url or MUSTER_URL.';
  const { reason } = error as { reason?: unknown };
  const isThere = reason === 'timeout' || reason === 'untrusted';
  return {
    exitCode: exitCodes.unreachable.code,
    lines: isThere ? [error.message] : [error.message, advice],
  };
}

function explainRefusal(error: Error): Explanation {
  const { errors = [] } = error as { errors?: readonly { path: string; message: string }[] };
  // The sentence contains the first one already.
  const more = errors.filter(({ message }) => !error.message.includes(message));
  const isUnauthorized = (error as { code?: unknown }).code === 'unauthorized';
  const advice = isUnauthorized ? [nameToken] : [];
  return {
    exitCode: exitCodes.refused.code,
    lines: [error.message, ...advice, ...more.map(({ path, message }) => `  ${path}: ${message}`)],
  };
}

const nameToken = 'Name one with --token-file, or in MUSTER_TOKEN or MUSTER_TOKEN_FILE.';
