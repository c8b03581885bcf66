// Reuses the memory for pieces of long answers. With a new buffer for each piece the engine would collect
// them late and the allocator would keep the gaps: several times of the memory in use.

/** Shorter pieces get a buffer of their own. */
const unitBytes = 16 * 1024;

export class PieceBuffers {
  private readonly mostFreeBytes: number;
  /** The one that was given back last is at the end. */
  private readonly free: ArrayBuffer[] = [];
  private freeBytes = 0;
  private readonly lent = new WeakSet<ArrayBufferLike>();

  constructor(mostFreeBytes: number) {
    this.mostFreeBytes = mostFreeBytes;
  }

  /** The bytes of a text. They may be given back once; otherwise the engine collects them. */
  encode(text: string): Buffer {
    const length = Buffer.byteLength(text);
    if (length < unitBytes) return Buffer.from(text);
    const memory = this.take(Math.ceil(length / unitBytes) * unitBytes);
    const buffer = Buffer.from(memory, 0, length);
    buffer.write(text);
    this.lent.add(memory);
    return buffer;
  }

  /** Nobody reads these bytes any more. Bytes that do not come from here are ignored. */
  giveBack({ buffer: memory }: Uint8Array): void {
    if (!this.lent.delete(memory)) return;
    this.free.push(memory as ArrayBuffer);
    this.freeBytes += memory.byteLength;
    while (this.freeBytes > this.mostFreeBytes) this.freeBytes -= this.free.shift()!.byteLength;
  }

  private take(size: number): ArrayBuffer {
    const fits = ({ byteLength }: ArrayBuffer) => byteLength >= size && byteLength <= 2 * size;
    const at = this.free.findLastIndex(fits);
    if (at < 0) return Buffer.allocUnsafeSlow(size).buffer;
    const [memory] = this.free.splice(at, 1);
    this.freeBytes -= memory!.byteLength;
    return memory!;
  }
}
