// Bytes within messages, where there is no pipe beside them (Windows): as base64, behind a mark that no JSON and no
// other text of these messages begins with.

import type { LongMessage, TextPlace } from '../../sandbox/long-texts.ts';

const mark = '*';

/** Long texts stay as they are. */
export function spellBytes({ message, places }: LongMessage): readonly unknown[] {
  for (const { list, at } of places) {
    const value = list[at];
    if (value instanceof Uint8Array) list[at] = mark + asBuffer(value).toString('base64');
  }
  return message;
}

/** At these places there may be such a text. */
export function readSpelledBytes(places: readonly TextPlace[]): void {
  for (const { list, at } of places) {
    const text = list[at];
    if (typeof text === 'string' && text.startsWith(mark)) list[at] = fromBase64(text.slice(1));
  }
}

/** Of a buffer of its own: those that Node makes share theirs. */
function fromBase64(text: string): Uint8Array {
  const bytes = new Uint8Array(Buffer.byteLength(text, 'base64'));
  const written = asBuffer(bytes).write(text, 'base64');
  return written === bytes.length ? bytes : bytes.slice(0, written);
}

function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength);
}
