// The colours of the command line. A colour is a control sequence, and those of foreign text are removed.
// So that our own survive, their escape character is replaced by a random seal, which `Terminal` turns
// back.

import { randomBytes } from 'node:crypto';
import pico from 'picocolors';

const names = ['bgWhiteBright', 'black', 'bold', 'cyan', 'dim', 'green', 'red', 'yellow'] as const;
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

/** Replaces the seals by escape characters. Only text of `createColors` has seals. */
export function unsealed(text: string): string {
  return text.replaceAll(seal, ESCAPE);
}

/** The visible part of a text. */
export function withoutColors(text: string): string {
  return text.replace(sealedSequence, '');
}

function sealing(format: Paint): Paint {
  // The sequences before and after a text.
  const [before = '', behind = ''] = format('\n')
    .split('\n')
    .map((sequence) => sequence.replaceAll(ESCAPE, seal));
  return (text) => `${before}${text}${behind}`;
}
