// The one stream of the page: what happens to jobs, workers and the scheduler, and the counters each second.

import { batch, signal } from '@preact/signals';
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
  readJobsOfBefore,
} from './cluster.ts';
import { endpoint, isUnauthorized, sentenceOf } from './endpoint.ts';
import { interruption, isConnected, isReading } from './freshness.ts';
import type { Hearing } from './heard-clock.ts';
import { noteHeard } from './hearing.ts';
import { sight } from './page-sight.ts';
import { refusalOfToken, tokenAsked, tokenShown } from './session.ts';
import { isTurnOver, nextTurn } from './turns.ts';

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

const shortestPauseMs = 2_000;
const longestPauseMs = 30_000;
const mostWrongMs = 30_000;
const punctual: Hearing = { lateMs: 0, wrongMs: 0 };

/** Grows whenever what was read before counts no more: parts of the page read theirs again. */
export const generation = signal(0);
/** Grows when the scheduler is set. */
export const schedulerChanges = signal(0);

const hearers = new Set<(event: MusterEvent) => void>();

/** Tells of every event until the answer is called. */
export function overhear(hearer: (event: MusterEvent) => void): () => void {
  hearers.add(hearer);
  return () => void hearers.delete(hearer);
}

export function startStream(): void {
  void follow();
}

async function follow(): Promise<void> {
  let pauseMs = shortestPauseMs;
  for (;;) {
    const refuse = refusalOfToken();
    const { signal: seen } = sight;
    try {
      const all = events(endpoint, {
        types,
        patienceMs: Number.POSITIVE_INFINITY,
        onInterruption: noteInterruption,
        signal: seen,
      });
      for await (const event of all) {
        hear(event);
        pauseMs = shortestPauseMs;
        if (isTurnOver()) await nextTurn();
      }
    } catch (error) {
      noteInterruption(error);
      if (isUnauthorized(error)) refuse(error.message);
    }
    // What follows reads all anew.
    if (seen.aborted) {
      await sight.seen();
      continue;
    }
    if (tokenAsked.value === null) {
      // What answers there now is no coordinator, or cannot answer. All is read anew when one is there again.
      await pause(pauseMs);
      pauseMs = Math.min(2 * pauseMs, longestPauseMs);
    } else {
      await tokenShown();
      interruption.value = null;
      void startAnew();
    }
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function noteInterruption(error: unknown): void {
  batch(() => {
    isConnected.value = false;
    interruption.value = sentenceOf(error);
  });
}

function hear(event: MusterEvent): void {
  // What the client itself says has the time of this browser.
  const isSaid = event.type !== 'reset' || event.id !== '';
  const { lateMs: late, wrongMs } = isSaid ? noteCoordinatorTime(event.at) : punctual;
  noteHeard(late);
  if (!isConnected.value) connected();
  // What was asked for a time was asked for another one.
  if (wrongMs > mostWrongMs) void startAnew();
  if (event.type === 'counters') return noteCounters(event);
  noteHiddenChange();
  if (event.type === 'reset') return void startAnew();
  for (const hearer of hearers) hearer(event);
  if (event.type === 'scheduler_configured') schedulerChanges.value++;
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
  if (isFirst) {
    isReading.value = false;
    void readJobsOfBefore();
  } else void startAnew();
}

let timesAnew = 0;

/** Again and again until it could be read: before, nothing of it counts as live. */
async function startAnew(): Promise<void> {
  const time = ++timesAnew;
  isReading.value = true;
  generation.value++;
  for (let pauseMs = shortestPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    const isRead = await readAnew();
    if (time !== timesAnew) return;
    if (isRead) break;
    await pause(pauseMs);
    if (time !== timesAnew) return;
  }
  isReading.value = false;
}
