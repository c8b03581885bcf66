// How old is what the page shows.

import { computed, signal } from '@preact/signals';
import { coordinatorTime, now } from './clock.ts';

export type Freshness = 'live' | 'paused' | 'silent' | 'reconnecting' | 'reading';

/** Counters come each second, and a comment at least every 15: a stream that is silent for longer is doubted. */
const silentMs = 20_000;

/** Of the browser's own clock. */
export const lastHeardMs = signal(performance.now());
/** The same by the clock on the wall, which goes on while a machine sleeps. */
export const lastHeardWallMs = signal(Date.now());
/** So long was on its way what was heard last. */
export const lateMs = signal(0);
/** What was heard last was said then, by the clock of the coordinator. */
export const lastSaidMs = signal(coordinatorTime());
export const isConnected = signal(false);
/** What was shown is read anew, and nothing of it counts as live before that is done. */
export const isReading = signal(true);
/** Parts of the page that are not read anew yet. */
export const partsOfBefore = signal(0);
/** The moment at which the page was held; null: it moves on. */
export const pausedAtMs = signal<number | null>(null);
/** Changes that came since, and are not shown. */
export const changesWaiting = signal(0);
/** What failed last, as a sentence. */
export const interruption = signal<string | null>(null);

/** Seconds since what was heard last was said. Moves with the clock of the page. */
export const silenceSeconds = computed(() => {
  void now.value;
  const awake = performance.now() - lastHeardMs.value;
  const silence = Math.max(0, awake, Date.now() - lastHeardWallMs.value);
  return (silence + lateMs.value) / 1000;
});

export const freshness = computed<Freshness>(() => {
  if (pausedAtMs.value !== null) return 'paused';
  if (!isConnected.value) return 'reconnecting';
  if (isReading.value || partsOfBefore.value > 0) return 'reading';
  return silenceSeconds.value * 1000 > silentMs ? 'silent' : 'live';
});
