// What the files of a task in memory may take: bytes and entries. A file that was deleted counts for as long as
// somebody has it open.

/** An entry takes so much of the host besides the bytes in it. */
const entryBytes = 256;
const entriesMost = 10_000;

export class FileBudget {
  readonly #mostBytes: number;
  #bytes = 0;
  #entries = 0;

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  get freeBytes(): number {
    return this.#mostBytes - this.#bytes;
  }

  /** False, and nothing has changed, when there is no room. */
  take(bytes: number): boolean {
    if (bytes > this.freeBytes) return false;
    this.#bytes += bytes;
    return true;
  }

  giveBack(bytes: number): void {
    this.#bytes -= bytes;
  }

  takeEntry(): boolean {
    if (this.#entries >= entriesMost || !this.take(entryBytes)) return false;
    this.#entries++;
    return true;
  }

  giveBackEntry(): void {
    this.#entries--;
    this.giveBack(entryBytes);
  }
}
