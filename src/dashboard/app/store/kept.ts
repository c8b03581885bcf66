// What is read again and again is mostly what it was: what did not change stays the same object, so that nothing is
// drawn anew for it.

/** What was there before where nothing in it has changed. Both are of JSON. */
export function kept<T>(before: T | undefined, now: T): T {
  return before !== undefined && isSame(before, now) ? before : now;
}

/** The list of before if it has the same objects at the same places. */
export function keptList<T>(before: readonly T[] | null, now: readonly T[]): readonly T[] {
  const isOfBefore =
    before?.length === now.length && now.every((each, place) => each === before[place]);
  return isOfBefore ? before : now;
}

type Fields = Readonly<Record<string, unknown>>;

function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [one, other] = [a as Fields, b as Fields];
  const names = Object.keys(one);
  if (names.length !== Object.keys(other).length) return false;
  // What differs is mostly a number or a moment: found before lists are compared.
  if (names.some((name) => typeof one[name] !== 'object' && one[name] !== other[name]))
    return false;
  return names.every((name) => Object.hasOwn(other, name) && isSame(one[name], other[name]));
}
