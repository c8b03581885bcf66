// What happened, as lines in a chart. Their texts do not stand on each other: one for every 80 pixels at most, and
// how many more there are.

export interface ChartMark {
  readonly atMs: number;
  readonly text: string;
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
    .map(({ atMs, text }) => ({
      x: Math.round(((atMs - fromMs) * width) / (untilMs - fromMs)),
      text,
    }));
  const groups: { x: number; texts: string[] }[] = [];
  for (const { x, text } of seen) {
    const last = groups.at(-1);
    if (last !== undefined && x - last.x < leastBetween) last.texts.push(text);
    else groups.push({ x, texts: [text] });
  }
  const texts = groups.map(({ x, texts: all }, place) => {
    const before = groups[place - 1];
    const roomBefore = before === undefined ? x : 0;
    const roomBehind = (groups[place + 1]?.x ?? width) - x;
    const isBefore = roomBehind < leastBetween && roomBefore > roomBehind;
    return {
      x,
      text: all[0]!,
      more: all.length - 1,
      all: all.join('\n'),
      width: isBefore ? roomBefore : roomBehind,
      isBefore,
    };
  });
  return { lines: [...new Set(seen.map(({ x }) => x))], texts };
}
