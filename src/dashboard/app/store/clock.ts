// One clock for the page, so that all that is told of time moves together. It is that of the coordinator, as far as
// its answers tell.

import { signal } from '@preact/signals';

const tickMs = 1_000;
const wrongMs = 30_000;

let offsetMs = 0;

/** Moves once a second. */
export const now = signal(Date.now());

setInterval(() => {
  if (!document.hidden) now.value = coordinatorTime();
}, tickMs);

/** Now, as the coordinator has it. */
export function coordinatorTime(): number {
  return Date.now() + offsetMs;
}

/** The coordinator said this a moment ago. Returns whether what was asked by the clock before was asked wrongly. */
export function noteCoordinatorTime(at: string): boolean {
  const said = Date.parse(at);
  const errorMs = Math.abs(said - coordinatorTime());
  // What is near is the way of the message; only a clock that is set wrong is corrected.
  if (errorMs > 2_000) {
    offsetMs = said - Date.now();
    now.value = coordinatorTime();
  }
  return errorMs > wrongMs;
}
