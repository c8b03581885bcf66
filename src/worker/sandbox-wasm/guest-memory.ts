// The memory of a program as the host sees it. Every place and length comes from the program: whoever reads or writes
// asks `has` first. Both are whole numbers from 0 to 2^32 − 1, so their sum is exact.

import type { LinearMemory } from './engine.ts';

const nothing = new Uint8Array(0);

export class GuestMemory {
  #memory: LinearMemory | null = null;
  bytes: Uint8Array = nothing;
  view: DataView = new DataView(nothing.buffer);

  attach(memory: LinearMemory): void {
    this.#memory = memory;
    this.#renew(memory);
  }

  /** Bytes that it has now. */
  get size(): number {
    return this.#memory?.buffer.byteLength ?? 0;
  }

  /** The memory may have grown since the last call of the host, which empties the old views. */
  refresh(): void {
    if (this.bytes.length === 0 && this.#memory !== null) this.#renew(this.#memory);
  }

  has(pointer: number, length: number): boolean {
    return pointer + length <= this.bytes.length;
  }

  /** A view on them, good until the program goes on. */
  part(pointer: number, length: number): Uint8Array {
    return this.bytes.subarray(pointer, pointer + length);
  }

  /** Throws a RangeError when the engine has no room. */
  growTo(bytes: number, pageBytes: number): void {
    const missing = Math.ceil((bytes - this.size) / pageBytes);
    if (missing > 0) this.#memory?.grow(missing);
    this.refresh();
  }

  #renew(memory: LinearMemory): void {
    this.bytes = new Uint8Array(memory.buffer);
    this.view = new DataView(memory.buffer);
  }
}
