// The programs that a worker keeps, by their SHA-256, in the order of their use. The worker has one with
// the sources, the coordinator one without for each connection: both put the same programs on it in the
// same order, so the coordinator knows which ones the worker has and sends no source twice.
//
// Invariant: the coordinator's shelf is the newest part of the worker's, as long as its bounds are no wider
// and each frame arrives once and in order. So the coordinator may forget more than the worker, or all of it,
// at any time; never less.

export interface ShelfBounds {
  readonly programs: number;
  /** Characters of all sources together, in UTF-16 units. The newest program is kept, however long it is. */
  readonly characters: number;
}

/** The bounds of our own workers, and the widest that a coordinator uses for a worker. */
export const defaultShelf: ShelfBounds = { programs: 256, characters: 64 * 1024 * 1024 };

/** Most programs that `hello` names, the newest ones: it must stay short. */
export const namedProgramsMax = 64;

export interface Shelved<T> {
  readonly characters: number;
  readonly kept: T;
}

export class ProgramShelf<T> {
  readonly #bounds: ShelfBounds;
  /** In the order of use: the longest unused first. */
  readonly #programs = new Map<string, Shelved<T>>();
  #characters = 0;

  constructor(bounds: ShelfBounds) {
    this.#bounds = bounds;
  }

  has(sha256: string): boolean {
    return this.#programs.has(sha256);
  }

  /** Makes the program the newest. Undefined when it is not on the shelf. */
  use(sha256: string): T | undefined {
    const found = this.#programs.get(sha256);
    if (found === undefined) return undefined;
    this.#programs.delete(sha256);
    this.#programs.set(sha256, found);
    return found.kept;
  }

  put(sha256: string, characters: number, kept: T): void {
    this.#remove(sha256);
    this.#programs.set(sha256, { characters, kept });
    this.#characters += characters;
    for (const oldest of this.#programs.keys()) {
      const { programs, characters: most } = this.#bounds;
      if (this.#programs.size <= programs && this.#characters <= most) break;
      if (oldest === sha256) break;
      this.#remove(oldest);
    }
  }

  clear(): void {
    this.#programs.clear();
    this.#characters = 0;
  }

  /** The `count` newest programs, the longest unused of them first. */
  newest(count: number): readonly (readonly [sha256: string, Shelved<T>])[] {
    return [...this.#programs].slice(-count);
  }

  #remove(sha256: string): void {
    const found = this.#programs.get(sha256);
    if (found === undefined) return;
    this.#programs.delete(sha256);
    this.#characters -= found.characters;
  }
}

/** The smaller of both bounds. */
export function narrower(a: ShelfBounds, b: ShelfBounds): ShelfBounds {
  return {
    programs: Math.min(a.programs, b.programs),
    characters: Math.min(a.characters, b.characters),
  };
}
