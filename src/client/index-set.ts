/** A bit for every index: a million of them cost 125 kB. */
export class IndexSet {
  size = 0;
  #bits = new Uint8Array(1024);

  has(index: number): boolean {
    return ((this.#bits[index >> 3] ?? 0) & (1 << (index & 7))) !== 0;
  }

  /** True when it was not there. */
  add(index: number): boolean {
    if (this.has(index)) return false;
    const byte = index >> 3;
    if (byte >= this.#bits.length) {
      const larger = new Uint8Array(Math.max(byte + 1, 2 * this.#bits.length));
      larger.set(this.#bits);
      this.#bits = larger;
    }
    this.#bits[byte]! |= 1 << (index & 7);
    this.size++;
    return true;
  }
}
