// The sum of numbers in the order in which they stand, so that it is the same again.

export function sum(values: readonly number[]): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}
