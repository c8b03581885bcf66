// What happened, as lines in a chart. Their texts do not stand on each other: one for every 80 pixels at most, and
// how many more there are. A text is that of the line at which it stands.

export interface ChartMark {
  readonly atMs: number;
  readonly text: string;
  /** For where there is little room. */
  readonly short?: string;
}

export interface PlacedMarks {
  /** Every mark has its line. */
  readonly lines: readonly number[];
  readonly texts: readonly MarkText[];
}

export interface MarkText {
  /** Of its line, from the left. */
  readonly x: number;
  readonly text: string;
  /** Marks near it whose texts are left out. */
  readonly more: number;
  /** What it stands for: a line for each. */
  readonly all: string;
  /** The room that it has. */
  readonly width: number;
  /** It stands before its line, which has no room behind it. */
  readonly isBefore: boolean;
}

export const leastBetween = 80;

export function placeMarks(
  marks: readonly ChartMark[],
  { fromMs, untilMs, width }: { fromMs: number; untilMs: number; width: number },
): PlacedMarks {
  const seen = marks
    .filter(({ atMs }) => atMs >= fromMs && atMs <= untilMs)
    .toSorted((a, b) => a.atMs - b.atMs)
    .map(({ atMs, text, short = text }) => ({
      x: Math.round(((atMs - fromMs) * width) / (untilMs - fromMs)),
      text,
      short,
    }));
  const groups: { x: number; texts: string[]; short: string }[] = [];
  for (const { x, text, short } of seen) {
    const last = groups.at(-1);
    if (last !== undefined && x - last.x < leastBetween) last.texts.push(text);
    else groups.push({ x, texts: [text], short });
  }
  const gapBefore = (place: number): number => groups[place]!.x - (groups[place - 1]?.x ?? 0);
  /** The last one has no room behind it: it shares that of the one before. */
  const isBefore = (place: number): boolean =>
    place === groups.length - 1 &&
    width - groups[place]!.x < leastBetween &&
    gapBefore(place) >= (place === 0 ? leastBetween : 2 * leastBetween);
  const share = (place: number): number => (place === 0 ? gapBefore(place) : gapBefore(place) / 2);
  const roomBehind = (place: number): number => {
    const next = place + 1;
    if (next === groups.length) return width - groups[place]!.x;
    return isBefore(next) ? share(next) : gapBefore(next);
  };
  const texts = groups.map(({ x, texts: all, short }, place) => ({
    x,
    text: short,
    more: all.length - 1,
    all: all.join('\n'),
    width: isBefore(place) ? share(place) : roomBehind(place),
    isBefore: isBefore(place),
  }));
  return { lines: [...new Set(seen.map(({ x }) => x))], texts };
}
