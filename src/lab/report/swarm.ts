// Dots of one row that do not lie on each other where there is room: each goes to the lane nearest to the middle in
// which the dot before leaves place.

export interface Dot {
  readonly x: number;
  /** Pixels from the middle. */
  readonly off: number;
}

/** `apart`: pixels between two dots; `lanes`: odd. By x; without room the dots of the middle lie on each other. */
export function swarmOf(xs: readonly number[], apart: number, lanes: number): readonly Dot[] {
  const order = Array.from({ length: lanes }, (_, i) => (i % 2 === 1 ? -(i + 1) / 2 : i / 2));
  const ends = order.map(() => -Infinity);
  return [...xs]
    .sort((a, b) => a - b)
    .map((x) => {
      const free = ends.findIndex((end) => x - end >= apart);
      const lane = Math.max(0, free);
      ends[lane] = x;
      return { x, off: order[lane]! * apart };
    });
}
