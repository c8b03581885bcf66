// Where the frames of a WebSocket begin and end, in the bytes that go by (RFC 6455, 5.2). Nothing is kept but a
// few numbers: the frames themselves are passed on as they come.

const closeOpcode = 8;

export class FrameBoundaries {
  /** Of the head of the frame that has begun. */
  #head: number[] = [];
  /** Bytes of its payload that are still to come. */
  #left = 0;
  #hasClosed = false;

  /** A frame may be put between those that have gone by. */
  get isBetween(): boolean {
    return this.#left === 0 && this.#head.length === 0;
  }

  /** The frame that ends the connection has gone by. */
  get hasClosed(): boolean {
    return this.#hasClosed;
  }

  read(bytes: Uint8Array): void {
    let at = 0;
    while (at < bytes.length) {
      if (this.#left > 0) {
        const taken = Math.min(this.#left, bytes.length - at);
        this.#left -= taken;
        at += taken;
        continue;
      }
      this.#head.push(bytes[at++]!);
      const length = payloadLength(this.#head);
      if (length === null) continue;
      if ((this.#head[0]! & 0x0f) === closeOpcode) this.#hasClosed = true;
      this.#left = length;
      this.#head = [];
    }
  }
}

/** Null while the head is not there as a whole. */
function payloadLength(head: readonly number[]): number | null {
  const [, second] = head;
  if (second === undefined) return null;
  const short = second & 0x7f;
  const lengthBytes = short === 127 ? 8 : short === 126 ? 2 : 0;
  const maskBytes = (second & 0x80) === 0 ? 0 : 4;
  if (head.length < 2 + lengthBytes + maskBytes) return null;
  if (lengthBytes === 0) return short;
  return head.slice(2, 2 + lengthBytes).reduce((sum, byte) => sum * 256 + byte, 0);
}

/** A frame as a server sends it, whose payload is a code and a reason of at most 123 bytes. */
export function closeFrame(code: number, reason: string): Buffer {
  const text = Buffer.from(reason);
  const head = Buffer.from([0x80 | closeOpcode, 2 + text.length, code >> 8, code & 0xff]);
  return Buffer.concat([head, text]);
}
