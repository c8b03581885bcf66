// How evenly load lies on workers.

/**
 * Jain's index J = (Σ x_i)² / (n · Σ x_i²): 1 when all loads are equal, 1/n when one worker has
 * everything. Null when there is no load. Jain, Chiu, Hawe: A Quantitative Measure of Fairness and
 * Discrimination for Resource Allocation in Shared Computer Systems, DEC-TR-301, 1984.
 */
export function jainsIndex(loads: readonly number[]): number | null {
  let sum = 0;
  let squares = 0;
  for (const x of loads) {
    sum += x;
    squares += x * x;
  }
  if (sum === 0) return null;
  // Rounding may lead a little beyond the bounds.
  return clamp((sum * sum) / (loads.length * squares), 1 / loads.length, 1);
}

/** Standard deviation (of the population, not of a sample) / mean. Null when there is no load. */
export function coefficientOfVariation(loads: readonly number[]): number | null {
  const mean = loads.reduce((sum, x) => sum + x, 0) / loads.length;
  if (!(mean > 0)) return null;
  const variance = loads.reduce((sum, x) => sum + (x - mean) ** 2, 0) / loads.length;
  return Math.sqrt(variance) / mean;
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, value));
}
