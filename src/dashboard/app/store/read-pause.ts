// What is long is read less often.

const msPerRow = 3;
const longestMs = 10_000;

/** How long an answer of so many rows stands before it is read again. */
export function pauseAfter(rows: number): number {
  return Math.min(longestMs, rows * msPerRow);
}
