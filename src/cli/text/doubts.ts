// What may fail where a program runs, as it is told before the program is used.

import type { Terminal } from './terminal.ts';

export function tellDoubts(doubts: readonly string[], terminal: Terminal): void {
  for (const doubt of doubts) terminal.note(`${terminal.noteColors.yellow('doubt:')} ${doubt}`);
}
