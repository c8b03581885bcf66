// Fewer points than were measured, without losing what stands out: a step has the mean of what lies in it, and its
// least and its most, so that no spike vanishes. Steps begin at whole multiples of their length: they do not change
// while the window moves over them.

export interface Steps {
  /** The middle of each step. */
  readonly times: readonly number[];
  /** Null where nothing was measured: a gap. */
  readonly mean: readonly (number | null)[];
  readonly least: readonly (number | null)[];
  readonly most: readonly (number | null)[];
}

/** So the hour of a usual screen is the same in a narrow chart and in a wide one. */
const pixelsPerStep = 1.25;

/** A whole number of buckets, and no less than a pixel and a quarter where buckets are smaller than that. */
export function stepLength(bucketMs: number, msPerPixel: number): number {
  return bucketMs * Math.max(1, Math.ceil((pixelsPerStep * msPerPixel) / bucketMs));
}

interface Buckets {
  /** Their begins, ascending. */
  readonly times: readonly number[];
  readonly stepMs: number;
}

/** Steps without any bucket are gaps: one null stands for however many follow each other. */
export function downSample(values: readonly (number | null)[], { times, stepMs }: Buckets): Steps {
  const steps = {
    times: [] as number[],
    mean: [] as (number | null)[],
    least: [] as (number | null)[],
    most: [] as (number | null)[],
  };
  const push = (begin: number, found: readonly number[]): void => {
    const isGap = found.length === 0;
    steps.times.push(begin + stepMs / 2);
    steps.mean.push(isGap ? null : found.reduce((sum, value) => sum + value, 0) / found.length);
    steps.least.push(isGap ? null : Math.min(...found));
    steps.most.push(isGap ? null : Math.max(...found));
  };
  for (const { begin, places } of stepsOf(times, stepMs)) {
    const found = places.map((place) => values[place] ?? null).filter((value) => value !== null);
    push(begin, found);
  }
  return steps;
}

/** Counts add up: a mean of failures would be less than any of them. */
export function sumSteps(
  counts: readonly number[],
  { times, stepMs }: Buckets,
): readonly { readonly atMs: number; readonly count: number }[] {
  return [...stepsOf(times, stepMs)].map(({ begin, places }) => ({
    atMs: begin + stepMs / 2,
    count: places.reduce((sum, place) => sum + (counts[place] ?? 0), 0),
  }));
}

function* stepsOf(
  times: readonly number[],
  stepMs: number,
): Generator<{ readonly begin: number; readonly places: readonly number[] }> {
  let begin = Number.NaN;
  let places: number[] = [];
  for (const [place, time] of times.entries()) {
    const own = Math.floor(time / stepMs) * stepMs;
    if (own !== begin) {
      if (places.length > 0) yield { begin, places };
      if (own > begin + stepMs) yield { begin: begin + stepMs, places: [] };
      begin = own;
      places = [];
    }
    places.push(place);
  }
  if (places.length > 0) yield { begin, places };
}
