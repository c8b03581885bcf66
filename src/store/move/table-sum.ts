// What both sides of a move are compared by: the number of rows of a table, and the sum of their hashes, for which it
// does not matter in which order they come.

import { createHash, hash } from 'node:crypto';
import type { MovedCell, MovedRow } from './moved-tables.ts';

const words = 8;

export class TableSum {
  #rows = 0;
  readonly #sum = new Uint32Array(words);

  add(row: MovedRow): void {
    this.#rows++;
    const digest = hash('sha256', textOf(row), 'buffer');
    // Each word wraps around by itself.
    for (let i = 0; i < words; i++) this.#sum[i]! += digest.readUInt32LE(4 * i);
  }

  get rows(): number {
    return this.#rows;
  }

  get checksum(): string {
    return Array.from(this.#sum, (word) => word.toString(16).padStart(8, '0')).join('');
  }
}

/** Different rows have different texts. */
export function textOf(row: MovedRow): string {
  return JSON.stringify(row.map(plain));
}

function plain(cell: MovedCell): unknown {
  if (cell instanceof Uint8Array)
    return { sha256: createHash('sha256').update(cell).digest('hex') };
  if (typeof cell === 'number' && !Number.isFinite(cell)) return { number: String(cell) };
  return cell;
}
