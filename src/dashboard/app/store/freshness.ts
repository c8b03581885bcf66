// How old is what the page shows.

import { computed, signal } from '@preact/signals';
import { now } from './clock.ts';

export type Freshness = 'live' | 'paused' | 'silent' | 'reconnecting' | 'reading';

/** Counters come each second, and a comment at least every 15: a stream that is silent for longer is doubted. */
const silentMs = 20_000;

/** Of the browser's own clock. */
export const lastHeardMs = signal(performance.now());
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

/** Seconds since anything was heard. Moves with the clock of the page. */
export const silenceSeconds = computed(() => {
  void now.value;
  return Math.max(0, (performance.now() - lastHeardMs.value) / 1000);
});

export const freshness = computed<Freshness>(() => {
  if (pausedAtMs.value !== null) return 'paused';
  if (!isConnected.value) return 'reconnecting';
  if (isReading.value || partsOfBefore.value > 0) return 'reading';
  return silenceSeconds.value * 1000 > silentMs ? 'silent' : 'live';
});
