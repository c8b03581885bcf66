// Student's t distribution.

import { normalQuantile } from '../chance/normal.ts';

/**
 * The t that a variable of `freedom` degrees of freedom (1, 2, …) exceeds in absolute value with the probability
 * `both`, in (0, 1); within 1e-4 of the exact value, relatively. G. W. Hill, Algorithm 396: Student's t-quantiles,
 * Communications of the ACM 13(10):619-620, 1970.
 */
export function studentQuantile(both: number, freedom: number): number {
  if (freedom === 1) return 1 / Math.tan((both * Math.PI) / 2);
  if (freedom === 2) return Math.sqrt(2 / (both * (2 - both)) - 2);
  const n = freedom;
  const a = 1 / (n - 0.5);
  const b = 48 / a ** 2;
  let c = (((20700 * a) / b - 98) * a - 16) * a + 96.36;
  const d = ((94.5 / (b + c) - 3) / b + 1) * Math.sqrt((a * Math.PI) / 2) * n;
  let y = (d * both) ** (2 / n);
  if (y <= 0.05 + a) {
    const tail = 1 / (((n + 6) / (n * y) - 0.089 * d - 0.822) * (n + 2) * 3) + 0.5 / (n + 4);
    y = ((tail * y - 1) * (n + 1)) / (n + 2) + 1 / y;
    return Math.sqrt(n * y);
  }
  const x = normalQuantile(both / 2);
  y = x ** 2;
  if (n < 5) c += 0.3 * (n - 4.5) * (x + 0.6);
  c = (((0.05 * d * x - 5) * x - 7) * x - 2) * x + b + c;
  y = (((((0.4 * y + 6.3) * y + 36) * y + 94.5) / c - y - 3) / b + 1) * x;
  return Math.sqrt(n * Math.expm1(a * y ** 2));
}
