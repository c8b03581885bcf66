// Reads the binary format of WebAssembly: bytes, whole numbers in LEB128, names. Every read is checked against the
// end, so no more time is spent than there are bytes.

import { GuestFault } from '../sandbox/guest.ts';
import { fromUtf8 } from './engine.ts';

/** A program that no device would run. */
export function invalid(message: string): GuestFault {
  return new GuestFault('program_invalid', message);
}

export class BinaryReader {
  readonly bytes: Uint8Array;
  readonly end: number;
  at: number;

  constructor(bytes: Uint8Array, at = 0, end = bytes.length) {
    this.bytes = bytes;
    this.at = at;
    this.end = end;
  }

  get isAtEnd(): boolean {
    return this.at >= this.end;
  }

  byte(): number {
    if (this.at >= this.end) throw this.fault('it ends too early');
    return this.bytes[this.at++]!;
  }

  /** Unsigned, 32 bits, five bytes at most. */
  u32(): number {
    let value = 0;
    for (let place = 0; place < 5; place++) {
      const byte = this.byte();
      if (place === 4 && byte > 0x0f) break;
      value += (byte & 0x7f) * 2 ** (7 * place);
      if (byte < 0x80) return value;
    }
    throw this.fault('a number is longer than 32 bits');
  }

  /** Passes over a signed number of up to 64 bits. */
  skipNumber(): void {
    for (let place = 0; place < 10; place++) if (this.byte() < 0x80) return;
    throw this.fault('a number is longer than 64 bits');
  }

  skip(length: number): void {
    if (length > this.end - this.at) throw this.fault('it ends too early');
    this.at += length;
  }

  /** How many parts follow: each has a byte at least. */
  count(): number {
    const count = this.u32();
    if (count > this.end - this.at) throw this.fault('it ends too early');
    return count;
  }

  name(): string {
    const length = this.u32();
    const begin = this.at;
    this.skip(length);
    const text = fromUtf8(this.bytes.subarray(begin, this.at));
    if (text === null) throw this.fault('a name is no UTF-8');
    return text;
  }

  fault(what: string): GuestFault {
    return invalid(`the module cannot be read: ${what} (byte ${this.at})`);
  }
}
