// What comes faster than it can be taken in does not keep the page from being drawn and used. A stream whose pieces
// wait already is read without a pause; whoever reads one gives way every few milliseconds, and the stream waits.

const longestMs = 10;

let begunMs = 0;

/** Call it after each piece: whether it is time to give way. */
export function isTurnOver(): boolean {
  return performance.now() - begunMs > longestMs;
}

/** All that waits, drawing and what somebody does, comes before this goes on. */
export async function nextTurn(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve));
  begunMs = performance.now();
}
