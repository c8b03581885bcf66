// The known name that is most similar to one that nobody knows: what was meant, most likely.

/** The most similar name, if it is similar enough for a typing error, or begins with what was typed. */
export function closest(given: string, names: readonly string[]): string | undefined {
  const limit = Math.max(1, Math.floor(given.length / 3));
  let best: string | undefined;
  let bestDistance = limit + 1;
  for (const name of names) {
    const distance = editDistance(given.toLowerCase(), name.toLowerCase(), bestDistance);
    if (distance >= bestDistance) continue;
    best = name;
    bestDistance = distance;
  }
  return best ?? onlyOne(names.filter((name) => given.length > 3 && name.startsWith(given)));
}

function onlyOne(names: readonly string[]): string | undefined {
  return names.length === 1 ? names[0] : undefined;
}

/** Number of insertions, deletions, replacements and swaps of neighbours (Damerau), `limit` at most. */
function editDistance(one: string, other: string, limit: number): number {
  if (Math.abs(one.length - other.length) >= limit) return limit;
  let before: number[] = [];
  let previous = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i++) {
    const current = [i];
    for (let j = 1; j <= other.length; j++) {
      const isSame = one[i - 1] === other[j - 1];
      const isSwap = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      current[j] = Math.min(
        previous[j]! + 1,
        current[j - 1]! + 1,
        previous[j - 1]! + (isSame ? 0 : 1),
        isSwap ? before[j - 2]! + 1 : Number.POSITIVE_INFINITY,
      );
    }
    if (Math.min(...current) >= limit) return limit;
    before = previous;
    previous = current;
  }
  return previous[other.length]!;
}
