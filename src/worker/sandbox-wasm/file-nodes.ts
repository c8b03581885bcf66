// Files and folders in memory.

import { errno, type Errno } from './errno.ts';
import type { FileBudget } from './file-budget.ts';

const nothing = new Uint8Array(0);
/** A file grows by this at least. */
const leastGrowth = 256;

export type Node = FileNode | FolderNode;

/** A file. One that was given with the program is read-only, and its bytes are shared by all tasks. */
export class FileNode {
  readonly type = 'file';
  /** Counts from 1 in each tree, so that two runs have the same. */
  readonly id: number;
  readonly isReadOnly: boolean;
  readonly #budget: FileBudget;
  /** Longer than the file, so that it need not be copied at each growth. */
  #bytes: Uint8Array;
  #size: number;
  /** By how many descriptors it is open, and whether it still has a name. */
  #opens = 0;
  #isNamed = true;

  constructor(id: number, budget: FileBudget, given?: Uint8Array) {
    this.id = id;
    this.#budget = budget;
    this.#bytes = given ?? nothing;
    this.#size = this.#bytes.length;
    this.isReadOnly = given !== undefined;
  }

  get size(): number {
    return this.#size;
  }

  /** What is in it, up to its next change. */
  content(): Uint8Array {
    return this.#bytes.subarray(0, this.#size);
  }

  read(at: number, into: Uint8Array): number {
    const count = Math.min(into.length, Math.max(0, this.#size - at));
    if (count > 0) into.set(this.#bytes.subarray(at, at + count));
    return count;
  }

  write(at: number, from: Uint8Array): Errno {
    if (this.isReadOnly) return errno.readOnly;
    const end = at + from.length;
    if (end > this.#size) {
      const grown = this.resize(end);
      if (grown !== errno.success) return grown;
    }
    this.#bytes.set(from, at);
    return errno.success;
  }

  /** What is new is zero. */
  resize(size: number): Errno {
    if (this.isReadOnly) return errno.readOnly;
    if (size > this.#bytes.length) {
      const capacity = this.#growTo(size);
      if (capacity === null) return errno.noSpace;
      const grown = new Uint8Array(capacity);
      grown.set(this.content());
      this.#bytes = grown;
    } else if (size === 0) {
      this.#budget.giveBack(this.#bytes.length);
      this.#bytes = nothing;
    } else if (size < this.#size) {
      this.#bytes.fill(0, size, this.#size);
    }
    this.#size = size;
    return errno.success;
  }

  opened(): void {
    this.#opens++;
  }

  closed(): void {
    this.#opens--;
    this.#letGo();
  }

  /** Its name leads to nothing now, or to another file. */
  unlinked(): void {
    this.#isNamed = false;
    this.#budget.giveBackEntry();
    this.#letGo();
  }

  /** Twice as much as before, or all that is left; null: that is not enough. */
  #growTo(size: number): number | null {
    const before = this.#bytes.length;
    const most = before + this.#budget.freeBytes;
    const capacity = Math.min(most, Math.max(size, 2 * before, leastGrowth));
    return capacity >= size && this.#budget.take(capacity - before) ? capacity : null;
  }

  #letGo(): void {
    if (this.#isNamed || this.#opens > 0 || this.isReadOnly) return;
    this.#budget.giveBack(this.#bytes.length);
    this.#bytes = nothing;
    this.#size = 0;
  }
}

export class FolderNode {
  readonly type = 'folder';
  readonly id: number;
  /** It was there from the start, and stays where it is. Entries may be made in it. */
  readonly isKept: boolean;
  /** Null: it is the root, or was removed. */
  parent: FolderNode | null;
  protected readonly entries = new Map<string, Node>();

  constructor(id: number, parent: FolderNode | null, isKept: boolean) {
    this.id = id;
    this.parent = parent;
    this.isKept = isKept;
  }

  get isEmpty(): boolean {
    return this.entries.size === 0;
  }

  get size(): number {
    return 0;
  }

  /** Whether an entry of this name may be made. */
  accepts(name: string): boolean {
    return name !== '';
  }

  find(name: string): Node | undefined {
    return this.entries.get(name);
  }

  names(): string[] {
    return [...this.entries.keys()];
  }

  set(name: string, node: Node): void {
    this.entries.set(name, node);
    if (node.type === 'folder') node.parent = this;
  }

  delete(name: string): void {
    this.entries.delete(name);
  }
}

/** Whether a folder is another one, or lies in it. */
export function isWithin(inner: FolderNode, outer: FolderNode): boolean {
  for (let folder: FolderNode | null = inner; folder !== null; folder = folder.parent) {
    if (folder === outer) return true;
  }
  return false;
}
