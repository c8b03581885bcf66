// The colours of our own. A colour is a control sequence like those that no text from outside may
// bring along, so it travels under a seal that nobody can guess, and only the terminal breaks it.

import { randomBytes } from 'node:crypto';
import pico from 'picocolors';

const names = ['bold', 'cyan', 'dim', 'green', 'red', 'yellow'] as const;
const ESCAPE = '\u001b';
const seal = `<${randomBytes(16).toString('hex')}>`;
const sealedSequence = new RegExp(`${seal}\\[[\\d;]*m`, 'g');

export type Paint = (text: string) => string;
export type Colors = Readonly<Record<(typeof names)[number], Paint>>;

export function createColors(isColored: boolean): Colors {
  const formats = pico.createColors(isColored);
  const paints = names.map((name) => [name, sealing(formats[name])] as const);
  return Object.fromEntries(paints) as Colors;
}

/** With the sequences that a terminal understands; they are those of `createColors` alone. */
export function unsealed(text: string): string {
  return text.replaceAll(seal, ESCAPE);
}

/** What is seen of it. */
export function withoutColors(text: string): string {
  return text.replace(sealedSequence, '');
}

function sealing(format: Paint): Paint {
  // What stands before and behind a text.
  const [before = '', behind = ''] = format('\n')
    .split('\n')
    .map((sequence) => sequence.replaceAll(ESCAPE, seal));
  return (text) => `${before}${text}${behind}`;
}
