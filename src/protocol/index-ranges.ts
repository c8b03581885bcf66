// Ranges of indices as text: `0-41,43,50-99`.

import type { IndexRange } from './index-set.ts';

const rangeText = /^(\d{1,15})(?:-(\d{1,15}))?$/;

/** Undefined for any other text. Ranges must ascend, so that many of them take little time. */
export function parseIndexRanges(text: string): readonly IndexRange[] | undefined {
  const ranges: IndexRange[] = [];
  for (const part of text.split(',')) {
    const match = rangeText.exec(part);
    if (match === null) return undefined;
    const first = Number(match[1]);
    const last = Number(match[2] ?? match[1]);
    if (last < first || first <= (ranges.at(-1)?.last ?? -1)) return undefined;
    ranges.push({ first, last });
  }
  return ranges;
}

/** The text of as many ranges as there is room for, the longest ones. */
export function indexRangesText(ranges: Iterable<IndexRange>, mostCharacters: number): string {
  const longestFirst = [...ranges].toSorted((a, b) => b.last - b.first - (a.last - a.first));
  const chosen: IndexRange[] = [];
  let characters = 0;
  for (const range of longestFirst) {
    characters += rangeTextOf(range).length + 1;
    if (characters > mostCharacters) break;
    chosen.push(range);
  }
  return chosen
    .toSorted((a, b) => a.first - b.first)
    .map(rangeTextOf)
    .join(',');
}

function rangeTextOf({ first, last }: IndexRange): string {
  return first === last ? String(first) : `${first}-${last}`;
}
