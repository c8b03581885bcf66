// What a stream of results has given. A result stays what it is once it is `completed`. One that is
// `failed` or `cancelled` is replaced when its task was retried and has ended anew; the same words again
// are the same result, told again after the connection broke.

import type { TaskResult } from '../protocol/resources.ts';
import { indexRangesText } from '../protocol/index-ranges.ts';
import { IndexSet } from '../protocol/index-set.ts';

/** Of the address that a stream is asked for with. */
const MOST_CHARACTERS = 4_000;
const FNV_OFFSET = 0x81_1c_9d_c5;
const FNV_PRIME = 0x01_00_01_93;

export class ResultLedger {
  readonly #completed = new IndexSet();
  /** Imprints of the texts of all others. */
  readonly #others = new Map<number, number>();

  /** Tasks that have a result. */
  get size(): number {
    return this.#completed.size + this.#others.size;
  }

  /** Results that need not be sent again; those that could be replaced are not among them. */
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
