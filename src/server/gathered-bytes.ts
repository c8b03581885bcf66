// Gathers bytes that arrive in pieces into one buffer. A sender may make its pieces one byte long, and an
// array of them would cost hundreds of bytes for each: so they are copied.

export class GatheredBytes {
  length = 0;
  private store: Buffer = Buffer.alloc(0);

  push(piece: Buffer): void {
    const before = this.length;
    this.length += piece.length;
    // A first piece, which mostly is the only one, is not copied.
    if (before === 0) this.store = piece;
    else {
      if (this.length > this.store.length) this.grow(before);
      piece.copy(this.store, before);
    }
  }

  /** Returns all bytes and begins anew. */
  take(): Buffer {
    const all = this.store.subarray(0, this.length);
    this.length = 0;
    this.store = Buffer.alloc(0);
    return all;
  }

  /** Grows by half at least, so that every byte is copied only a few times. */
  private grow(used: number): void {
    const larger = Buffer.allocUnsafeSlow(
      Math.max(this.length, Math.ceil(1.5 * this.store.length)),
    );
    this.store.copy(larger, 0, 0, used);
    this.store = larger;
  }
}
