// Reads server-sent events as the HTML standard says, a block at a time.

export interface EventBlock {
  /** Undefined when the block has no id. */
  readonly id: string | undefined;
  readonly type: string;
  /** Null in a block that is only a sign of life, or only an id. */
  readonly data: string | null;
}

/**
 * Divides text that comes in pieces of any size into blocks; leaves out one that is cut off at the
 * end.
 */
export async function* eventBlocks(
  text: AsyncIterable<string>,
): AsyncGenerator<EventBlock, void, void> {
  const lines = new LineReader();
  let block = new OpenBlock();
  for await (const piece of text) {
    for (const line of lines.read(piece)) {
      if (line !== '') {
        block.add(line);
        continue;
      }
      yield block.close();
      block = new OpenBlock();
    }
  }
}

class OpenBlock {
  #id: string | undefined;
  #type = 'message';
  #data: string[] = [];

  add(line: string): void {
    const colon = line.indexOf(':');
    if (colon === 0) return; // A comment.
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'data') this.#data.push(value);
    else if (field === 'event') this.#type = value;
    else if (field === 'id' && !value.includes('\0')) this.#id = value;
  }

  close(): EventBlock {
    const data = this.#data.length === 0 ? null : this.#data.join('\n');
    return { id: this.#id, type: this.#type, data };
  }
}

/** Far more than an event has; a stream that ends no line would fill the memory. */
const MOST_CHARACTERS = 32 * 1024 * 1024;

/** Lines end with CR LF, LF or CR; the two characters may come in different pieces. */
class LineReader {
  #rest = '';
  #skipsLineFeed = false;

  /** The lines that end in this piece. */
  read(piece: string): readonly string[] {
    const fresh = this.#skipsLineFeed && piece.startsWith('\n') ? piece.slice(1) : piece;
    if (piece !== '') this.#skipsLineFeed = piece.endsWith('\r');
    const lines = fresh.split(/\r\n|\n|\r/);
    // Only what is new is looked through: a long line comes in many pieces.
    lines[0] = this.#rest + lines[0]!;
    this.#rest = lines.pop()!;
    if (this.#rest.length > MOST_CHARACTERS)
      throw new RangeError('a line of the stream is endless');
    return lines;
  }
}
