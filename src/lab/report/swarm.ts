// Dots of one row that do not lie on each other where there is room: each goes to the lane nearest to the middle in
// which the dot before leaves place, and where there is no room, to that whose last dot is farthest away.

export interface Dot {
  readonly x: number;
  /** Pixels from the middle. */
  readonly off: number;
}

/** `apart`: pixels between two dots; `lanes`: odd. By x. */
export function swarmOf(xs: readonly number[], apart: number, lanes: number): readonly Dot[] {
  const order = Array.from({ length: lanes }, (_, i) => (i % 2 === 1 ? -(i + 1) / 2 : i / 2));
  const ends = order.map(() => -Infinity);
  return [...xs]
    .sort((a, b) => a - b)
    .map((x) => {
      const free = ends.findIndex((end) => x - end >= apart);
      const lane = free >= 0 ? free : ends.indexOf(Math.min(...ends));
      ends[lane] = x;
      return { x, off: order[lane]! * apart };
    });
}
