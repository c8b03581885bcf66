// Bytes that arrive in pieces, gathered in one place. A sender chooses how long its pieces are, down to
// one byte, and each piece that is kept costs hundreds of bytes beside its own: so they are copied.

export class GatheredBytes {
  length = 0;
  private store: Buffer = Buffer.alloc(0);

  push(piece: Buffer): void {
    const before = this.length;
    this.length += piece.length;
    // The only one, as most are, is taken as it is.
    if (before === 0) this.store = piece;
    else {
      if (this.length > this.store.length) this.grow(before);
      piece.copy(this.store, before);
    }
  }

  /** All of them; it is empty again then. */
  take(): Buffer {
    const all = this.store.subarray(0, this.length);
    this.length = 0;
    this.store = Buffer.alloc(0);
    return all;
  }

  /** By half at least, so that every byte is copied a few times only. */
  private grow(used: number): void {
    const larger = Buffer.allocUnsafeSlow(
      Math.max(this.length, Math.ceil(1.5 * this.store.length)),
    );
    this.store.copy(larger, 0, 0, used);
    this.store = larger;
  }
}
