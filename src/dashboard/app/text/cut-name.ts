// A name where there is little room for it.

/** So many letters of a name at most. Its end stays: names of many devices begin alike. */
export function cutName(name: string, most: number): string {
  const letters = Array.from(name);
  if (letters.length <= most) return name;
  const end = Math.floor(most / 3);
  const first = letters.slice(0, most - 1 - end).join('');
  return `${first.trimEnd()}\u2026${letters.slice(-end).join('').trimStart()}`;
}
