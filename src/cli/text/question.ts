// A question to the person at the terminal. Only who says yes has said yes: the end of the input, Ctrl-C and
// anything else are a no.

import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Terminal } from './terminal.ts';

export function canAsk(terminal: Terminal): boolean {
  return process.stdin.isTTY && terminal.isInteractive;
}

/** Undefined when nobody is there to be asked. */
export async function askYesNo(terminal: Terminal, question: string): Promise<boolean | undefined> {
  if (!canAsk(terminal)) return undefined;
  terminal.note(`${question} [y/N]`);
  const lines = createInterface({ input: process.stdin });
  try {
    const answer = once(lines, 'line').then(([line]) => String(line));
    const ended = once(lines, 'close').then(() => 'no');
    return /^\s*y(es)?\s*$/i.test(await Promise.race([answer, ended]));
  } finally {
    lines.close();
  }
}
