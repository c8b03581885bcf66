// The normal distribution function.

/** Φ(x), within 1e-15. The series of Marsaglia, Evaluating the Normal Distribution, J. Stat. Software 11(4), 2004. */
export function normalCdf(x: number): number {
  if (x < -8) return 0;
  if (x > 8) return 1;
  let sum = x;
  let term = x;
  for (let i = 3; sum + term !== sum; i += 2) {
    term *= (x * x) / i;
    sum += term;
  }
  return 0.5 + (sum * Math.exp((-x * x) / 2)) / Math.sqrt(2 * Math.PI);
}
