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

function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const names = Object.keys(a);
  if (names.length !== Object.keys(b).length) return false;
  return names.every(
    (name) =>
      Object.hasOwn(b, name) && isSame(a[name as keyof typeof a], b[name as keyof typeof b]),
  );
}
