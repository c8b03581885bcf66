// Rows keep their places while a pointer or the focus is in their table: numbers change, nothing jumps. What has
// come meanwhile is counted, and shown when whoever reads asks for it.

export interface HeldOrder {
  /** The keys in the order in which they are shown. */
  readonly shown: readonly string[];
  /** Rows that would stand elsewhere, or are not shown yet. */
  readonly moved: number;
}

/**
 * `held`: the order that is kept, null where none is. `wanted`: as they would stand now. Rows that are gone leave;
 * new ones wait, unless nothing is held.
 */
export function holdOrder(held: readonly string[] | null, wanted: readonly string[]): HeldOrder {
  if (held === null) return { shown: wanted, moved: 0 };
  const there = new Set(wanted);
  const shown = held.filter((key) => there.has(key));
  const old = new Set(shown);
  const known = wanted.filter((key) => old.has(key));
  const moved = known.filter((key, place) => key !== shown[place]).length;
  return { shown, moved: moved + wanted.length - known.length };
}
