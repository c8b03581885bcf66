// The results that a stream has given so far. A result that is `completed` never changes. One that is
// `failed` or `cancelled` is replaced when its task was retried and has ended again. If the same text
// comes again, it is the same result, repeated after the connection broke.

import type { TaskResult } from '../protocol/resources.ts';
import { indexRangesText } from '../protocol/index-ranges.ts';
import { IndexSet } from '../protocol/index-set.ts';

/** Bound for the list of indices in the address of a request. */
const MOST_CHARACTERS = 4_000;
const FNV_OFFSET = 0x81_1c_9d_c5;
const FNV_PRIME = 0x01_00_01_93;

export class ResultLedger {
  readonly #completed = new IndexSet();
  /** Hashes of the texts of all other results. */
  readonly #others = new Map<number, number>();

  /** Tasks that have a result. */
  get size(): number {
    return this.#completed.size + this.#others.size;
  }

  /** Indices of the results that need not be sent again: the completed ones. */
  get have(): string | undefined {
    if (this.#completed.size === 0) return undefined;
    return indexRangesText(this.#completed.ranges(), MOST_CHARACTERS);
  }

  enter(text: string, { index, status }: TaskResult): 'new' | 'replaces' | 'known' {
    if (this.#completed.has(index)) return 'known';
    const before = this.#others.get(index);
    if (status === 'completed') {
      this.#completed.add(index);
      this.#others.delete(index);
    } else {
      const now = imprint(text);
      if (before === now) return 'known';
      this.#others.set(index, now);
    }
    return before === undefined ? 'new' : 'replaces';
  }
}

/** FNV-1a over the characters, http://www.isthe.com/chongo/tech/comp/fnv/ */
function imprint(text: string): number {
  let hash = FNV_OFFSET;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), FNV_PRIME);
  return hash;
}
