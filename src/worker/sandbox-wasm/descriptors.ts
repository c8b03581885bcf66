// What a program has open, by number. The lowest free number is given, as POSIX has it; 0 to 2 are the standard
// streams, and 3 is the root of its files.

import type { Errno } from './errno.ts';
import type { FileNode, FolderNode, Node } from './file-nodes.ts';

export type Descriptor = OpenFile | OpenFolder | OpenStream;

export interface OpenFile {
  readonly type: 'file';
  readonly node: FileNode;
  readonly reads: boolean;
  readonly writes: boolean;
  appends: boolean;
  position: number;
  /** Something was written since it was opened, or everything in it was thrown away then. */
  isChanged: boolean;
}

export interface OpenFolder {
  readonly type: 'folder';
  readonly node: FolderNode;
  /** Programs find the root by it; null for all others. */
  readonly preopenName: string | null;
  /** What it holds, as it was when the program began to list it. */
  listing: readonly (readonly [name: string, node: Node])[] | null;
}

/** A stream that is written to. */
export interface OpenStream {
  readonly type: 'stream';
  /** Lines are handed on as they come; the program takes it for a terminal then. */
  readonly isTerminal: boolean;
  write(bytes: Uint8Array): Errno;
}

const openMost = 256;

export class Descriptors {
  readonly #open: (Descriptor | null)[] = [];
  /** What it had from the start. */
  readonly #given = new Set<Descriptor>();
  /** Something that was changed is closed. */
  readonly #onSettled: (node: Node) => void;

  constructor(onSettled: (node: Node) => void) {
    this.#onSettled = onSettled;
  }

  find(number: number): Descriptor | null {
    return this.#open[number] ?? null;
  }

  /** Opens what a program has from the start. */
  give(descriptor: Descriptor): void {
    this.#given.add(descriptor);
    this.add(descriptor);
  }

  /** Its number; null: too many are open. */
  add(descriptor: Descriptor): number | null {
    let number = this.#open.indexOf(null);
    if (number === -1) number = this.#open.length;
    if (number >= openMost) return null;
    this.#open[number] = descriptor;
    if (descriptor.type === 'file') descriptor.node.opened();
    return number;
  }

  /** There is one of this number. */
  close(number: number): void {
    const descriptor = this.#open[number];
    this.#open[number] = null;
    if (descriptor?.type !== 'file') return;
    if (descriptor.isChanged) this.#onSettled(descriptor.node);
    descriptor.node.closed();
  }

  /** Gives one another number, whose own is closed. There are both. */
  renumber(from: number, to: number): void {
    if (from === to) return;
    this.close(to);
    this.#open[to] = this.#open[from]!;
    this.#open[from] = null;
  }

  closeAll(): void {
    for (const number of this.#open.keys()) if (this.#open[number] !== null) this.close(number);
  }

  /** Whether the program has opened files or folders and not closed them. */
  get hasOpened(): boolean {
    return this.#open.some((each) => each !== null && !this.#given.has(each));
  }
}
