// One clock for the page, so that all that is told of time moves together. It is that of the coordinator, as far as
// its messages tell.

import { signal } from '@preact/signals';
import { HeardClock, type Hearing } from './heard-clock.ts';

const tickMs = 1_000;

const heardClock = new HeardClock(Date.now(), performance.now());

/** Moves once a second. */
export const now = signal(Date.now());

setInterval(() => {
  if (!document.hidden) now.value = coordinatorTime();
}, tickMs);

/** Now, as the coordinator has it. */
export function coordinatorTime(): number {
  return heardClock.at(performance.now());
}

/** The coordinator said this a moment ago, unless it was held on the way. */
export function noteCoordinatorTime(at: string): Hearing {
  const hearing = heardClock.hear(Date.parse(at), performance.now());
  if (hearing.wrongMs > 0) now.value = coordinatorTime();
  return hearing;
}
