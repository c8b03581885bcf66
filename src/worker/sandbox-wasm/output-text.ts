// What a program writes to its streams: text that is handed on as it comes, and bytes that become its result.

import { TextPieces } from './engine.ts';

/** Decoded at once, at most: a program may write all of its memory in one call. */
const pieceBytes = 65_536;
const tailCharacters = 4_000;

export class PrintedText {
  readonly #print: (text: string) => void;
  /** Made when something is printed, which most tasks do not. */
  #pieces: TextPieces | null = null;
  #tail = '';

  constructor(print: (text: string) => void) {
    this.#print = print;
  }

  add(bytes: Uint8Array): void {
    this.#pieces ??= new TextPieces();
    for (let at = 0; at < bytes.length; at += pieceBytes) {
      const text = this.#pieces.next(bytes.subarray(at, at + pieceBytes));
      if (text === '') continue;
      this.#tail = (this.#tail + text).slice(-tailCharacters);
      this.#print(text);
    }
  }

  /** A line of the runner's own. */
  say(line: string): void {
    this.#print(`muster: ${line}\n`);
  }

  /** Empty when nothing was printed. */
  lastLine(): string {
    return this.#tail.trimEnd().split('\n').at(-1)?.trim() ?? '';
  }
}

export class WrittenBytes {
  readonly #mostBytes: number;
  #bytes = new Uint8Array(0);
  #size = 0;

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  /** False when it would be too much. */
  add(bytes: Uint8Array): boolean {
    const size = this.#size + bytes.length;
    if (size > this.#mostBytes) return false;
    if (size > this.#bytes.length) {
      const grown = new Uint8Array(Math.min(this.#mostBytes, Math.max(size, 2 * this.#size, 1024)));
      grown.set(this.#bytes.subarray(0, this.#size));
      this.#bytes = grown;
    }
    this.#bytes.set(bytes, this.#size);
    this.#size = size;
    return true;
  }

  bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#size);
  }
}
