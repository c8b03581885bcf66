// Dots on one axis: what an algorithm compares, or the place in line where it compares nothing.

export interface Axis {
  readonly dots: readonly { readonly key: string; readonly x: number }[];
  readonly ticks: readonly { readonly value: number; readonly x: number }[];
}

interface Scored {
  readonly key: string;
  readonly score: number;
}

/** From 0, or from below it where a score is; ends at a round number. `rows`: best first. */
export function scoreAxis(
  rows: readonly Scored[],
  { x, width }: { readonly x: number; readonly width: number },
): Axis {
  const scores = rows.map(({ score }) => score);
  const step = stepFor(Math.max(0, ...scores) - Math.min(0, ...scores));
  const from = Math.floor(Math.min(0, ...scores) / step) * step;
  const to = Math.max(from + step, Math.ceil(Math.max(0, ...scores) / step) * step);
  const at = (value: number): number => x + ((value - from) / (to - from)) * width;
  const count = Math.round((to - from) / step);
  return {
    dots: rows.map(({ key }, place) => ({ key, x: at(scores[place]!) })),
    ticks: Array.from({ length: count + 1 }, (_, place) => {
      const value = Number((from + place * step).toPrecision(12));
      return { value, x: at(value) };
    }),
  };
}

/** Round, and at most five of them. */
function stepFor(extent: number): number {
  if (extent === 0) return 1;
  const power = 10 ** Math.floor(Math.log10(extent));
  return [0.2, 0.5, 1, 2].map((each) => each * power).find((each) => extent / each <= 5)!;
}
