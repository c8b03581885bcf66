// Divides a text into its lines as it comes. A line ends with a line feed and nothing else: JSON and texts may hold
// U+2028 and U+2029, at which Node's own reader of lines would cut them in two.

import { CommandFailure } from './command-failure.ts';

/** No input can be as long: a file like this one is not divided into lines. */
export const LONGEST_LINE = 256 * 1024 * 1024;

/**
 * The lines that end in each piece, with the `\r` at their ends but without the byte order mark that some editors
 * write. `source` names the text in errors.
 */
export async function* linesByPiece(
  pieces: AsyncIterable<string | Uint8Array>,
  source: string,
  longest = LONGEST_LINE,
): AsyncGenerator<readonly string[], void, void> {
  // Joined when the line ends: joining with every piece would copy a long line as often.
  let begun: string[] = [];
  let length = 0;
  let number = 0;
  for await (const text of textsOf(pieces, source)) {
    const [first = '', ...others] = text.split('\n');
    begun.push(first);
    length += first.length;
    if (length > longest) {
      throw new CommandFailure(
        'usage',
        `${source}:${number + 1} is longer than ${longest} characters.`,
      );
    }
    const last = others.pop();
    if (last === undefined) continue;
    const lines = [begun.join(''), ...others];
    begun = [last];
    length = last.length;
    number += lines.length;
    yield lines;
  }
  if (length > 0) yield [begun.join('')];
}

/** The lines one by one, without the ends. */
export async function* linesOf(
  pieces: AsyncIterable<string | Uint8Array>,
  source: string,
): AsyncGenerator<string, void, void> {
  for await (const lines of linesByPiece(pieces, source)) {
    for (const line of lines) yield line.endsWith('\r') ? line.slice(0, -1) : line;
  }
}

async function* textsOf(
  pieces: AsyncIterable<string | Uint8Array>,
  source: string,
): AsyncGenerator<string, void, void> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let isFirst = true;
  try {
    for await (const piece of pieces) {
      if (typeof piece !== 'string') yield decoder.decode(piece, { stream: true });
      else yield isFirst && piece.startsWith('\ufeff') ? piece.slice(1) : piece;
      isFirst = false;
    }
    yield decoder.decode();
  } catch (error) {
    throw explained(error, source);
  }
}

function explained(error: unknown, source: string): unknown {
  const { code, syscall, message } = error as NodeJS.ErrnoException;
  if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') {
    return new CommandFailure('usage', `${source} is not a text in UTF-8.`, [
      `Make one of it, for example:  iconv -f WINDOWS-1252 -t UTF-8 ${source}`,
    ]);
  }
  if (syscall === undefined) return error;
  return new CommandFailure('usage', `"${source}" cannot be read: ${message}.`, [], error);
}
