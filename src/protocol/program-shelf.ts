// The programs that a worker keeps, by their SHA-256, in the order of their use. The worker has one with
// the sources, the coordinator one without for each connection: both put the same programs on it in the
// same order, so the coordinator knows what is there and sends no source twice.
//
// Invariant: what the coordinator takes to be kept is the newest part of what the worker keeps, as long
// as its bounds are no wider and each frame arrives once and in its turn. So it may forget more than the
// worker, or all of it, at any time; never less.

export interface ShelfBounds {
  readonly programs: number;
  /** Of all sources together, in UTF-16 units. The newest program is kept, however long it is. */
  readonly characters: number;
}

/** What a worker of this program keeps, and the most that a coordinator remembers of one. */
export const defaultShelf: ShelfBounds = { programs: 256, characters: 64 * 1024 * 1024 };

/** So many of the newest are named in `hello`: it must stay short. */
export const namedProgramsMax = 64;

export interface Shelved<T> {
  readonly characters: number;
  readonly kept: T;
}

export class ProgramShelf<T> {
  private readonly bounds: ShelfBounds;
  /** The longest unused first. */
  private readonly programs = new Map<string, Shelved<T>>();
  private characters = 0;

  constructor(bounds: ShelfBounds) {
    this.bounds = bounds;
  }

  has(sha256: string): boolean {
    return this.programs.has(sha256);
  }

  /** It is the newest from now on. Undefined when it is not here. */
  use(sha256: string): T | undefined {
    const found = this.programs.get(sha256);
    if (found === undefined) return undefined;
    this.programs.delete(sha256);
    this.programs.set(sha256, found);
    return found.kept;
  }

  put(sha256: string, characters: number, kept: T): void {
    this.remove(sha256);
    this.programs.set(sha256, { characters, kept });
    this.characters += characters;
    for (const oldest of this.programs.keys()) {
      const { programs, characters: most } = this.bounds;
      if (this.programs.size <= programs && this.characters <= most) break;
      if (oldest === sha256) break;
      this.remove(oldest);
    }
  }

  clear(): void {
    this.programs.clear();
    this.characters = 0;
  }

  /** The newest ones, the longest unused of them first. */
  newest(count: number): readonly (readonly [sha256: string, Shelved<T>])[] {
    return [...this.programs].slice(-count);
  }

  private remove(sha256: string): void {
    const found = this.programs.get(sha256);
    if (found === undefined) return;
    this.programs.delete(sha256);
    this.characters -= found.characters;
  }
}

/** Of two, those that are no wider than either. */
export function narrower(a: ShelfBounds, b: ShelfBounds): ShelfBounds {
  return {
    programs: Math.min(a.programs, b.programs),
    characters: Math.min(a.characters, b.characters),
  };
}
