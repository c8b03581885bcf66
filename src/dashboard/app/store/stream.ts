// The one stream of the page: what happens to jobs, workers and the scheduler, and the counters each second.

import { batch, signal } from '@preact/signals';
import { MusterError } from '../../../client/errors.ts';
import { events, type EventType, type MusterEvent } from '../../../client/events.ts';
import { noteCoordinatorTime } from './clock.ts';
import {
  noteCounters,
  noteHiddenChange,
  noteJobChange,
  noteJobDeleted,
  noteWorkerGone,
  noteWorkersChange,
  readAnew,
} from './cluster.ts';
import { endpoint, sentenceOf } from './endpoint.ts';
import { interruption, isConnected, isReading, lastHeardMs } from './freshness.ts';
import { noteRefusedToken, tokenAsked } from './session.ts';

const types: readonly EventType[] = [
  'counters',
  'job_submitted',
  'job_cancelled',
  'job_held',
  'job_released',
  'job_abandoned',
  'job_retried',
  'job_finished',
  'job_deleted',
  'worker_registered',
  'worker_connected',
  'worker_disconnected',
  'worker_lost',
  'worker_left',
  'worker_quarantined',
  'worker_probed',
  'worker_released',
  'worker_drained',
  'worker_resumed',
  'worker_approved',
  'worker_rest_changed',
  'worker_renamed',
  'worker_deregistered',
  'scheduler_configured',
];

const awayMs = 60_000;
const againMs = 2_000;

/** Grows whenever what was read before counts no more: parts of the page read theirs again. */
export const generation = signal(0);
/** The newest event of the scheduler's configuration and of each kind of change, for pages that follow one. */
export const lastEvent = signal<MusterEvent | null>(null);

export function startStream(): void {
  void follow();
  let hiddenAtMs = 0;
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) hiddenAtMs = performance.now();
    else if (performance.now() - hiddenAtMs > awayMs) void startAnew();
  });
}

async function follow(): Promise<void> {
  for (;;) {
    try {
      const all = events(endpoint, {
        types,
        patienceMs: Number.POSITIVE_INFINITY,
        onInterruption: noteInterruption,
      });
      for await (const event of all) hear(event);
    } catch (error) {
      noteInterruption(error);
      if (error instanceof MusterError && error.status === 401) noteRefusedToken(error.message);
    }
    // Who is asked for a token is not asked again and again.
    if (tokenAsked.value !== null) await tokenShown();
    else await new Promise((resolve) => setTimeout(resolve, againMs));
    void startAnew();
  }
}

/** Somebody has logged in. */
function tokenShown(): Promise<void> {
  return new Promise((resolve) => {
    const end = tokenAsked.subscribe((why) => {
      if (why !== null) return;
      interruption.value = null;
      resolve();
      queueMicrotask(() => end());
    });
  });
}

function noteInterruption(error: unknown): void {
  batch(() => {
    isConnected.value = false;
    interruption.value = sentenceOf(error);
  });
}

function hear(event: MusterEvent): void {
  lastHeardMs.value = performance.now();
  if (!isConnected.value) connected();
  noteCoordinatorTime(event.at);
  if (event.type === 'counters') return noteCounters(event);
  noteHiddenChange();
  if (event.type === 'reset') return void startAnew();
  lastEvent.value = event;
  if ('worker_id' in event) {
    if (event.type === 'worker_deregistered') noteWorkerGone(event.worker_id);
    noteWorkersChange();
  } else if (event.type === 'job_deleted') noteJobDeleted(event.job_id);
  else if ('job_id' in event) noteJobChange(event.job_id);
}

function connected(): void {
  const isFirst = generation.value === 0 && interruption.value === null;
  batch(() => {
    isConnected.value = true;
    interruption.value = null;
  });
  // What was missed may not be in the stream any more.
  if (isFirst) isReading.value = false;
  else void startAnew();
}

async function startAnew(): Promise<void> {
  isReading.value = true;
  generation.value++;
  await readAnew();
  isReading.value = false;
}
