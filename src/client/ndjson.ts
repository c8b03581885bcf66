// Reads and writes newline-delimited JSON, a line at a time.

import type { Bytes } from './bytes.ts';

const PIECE_CHARACTERS = 64 * 1024;
const encoder = new TextEncoder();

/** Divides text that comes in pieces of any size into its lines; leaves out empty ones. */
export async function* linesOf(
  text: AsyncIterable<string>,
  /** Called for each piece, also for one without a line. */
  onPiece?: () => void,
): AsyncGenerator<string, void, void> {
  let rest = '';
  for await (const piece of text) {
    onPiece?.();
    const end = piece.lastIndexOf('\n');
    if (end < 0) {
      rest += piece;
      continue;
    }
    const lines = (rest + piece.slice(0, end)).split('\n');
    rest = piece.slice(end + 1);
    for (const line of lines) if (line.trim() !== '') yield line;
  }
  if (rest.trim() !== '') yield rest;
}

/** Writes each JSON text as a line of UTF-8, in pieces of about 64 KiB. */
export async function* ndjsonOf(
  first: string,
  texts: AsyncIterable<string>,
): AsyncGenerator<Bytes, void, void> {
  let piece = `${first}\n`;
  for await (const text of texts) {
    piece += `${text}\n`;
    if (piece.length < PIECE_CHARACTERS) continue;
    yield encoder.encode(piece);
    piece = '';
  }
  if (piece !== '') yield encoder.encode(piece);
}
