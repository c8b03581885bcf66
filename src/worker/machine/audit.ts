// The invariants of a workload: one sentence for each that does not hold. Only tests and the
// simulator call it, because it looks at every attempt that is held.

import type { LocalAttempt } from './local-attempt.ts';
import type { Job } from './jobs.ts';
import type { Workload } from './workload.ts';

export function auditWorkload(workload: Workload): string[] {
  return [...placeFaults(workload), ...countFaults(workload), ...jobFaults(workload)];
}

/** Invariant: an attempt is in the one place that it names, and nowhere else. */
function placeFaults(workload: Workload): string[] {
  const faults: string[] = [];
  const queued = new Set(workload.queue);
  for (const [key, attempt] of workload.held) {
    const places = placesOf(workload, attempt, queued);
    if (attempt.key !== key) faults.push(`${key} is held under the key of ${attempt.key}`);
    const isNowhere = attempt.place.at === 'parked' || attempt.place.at === 'saving';
    const expected = isNowhere ? '' : attempt.place.at;
    if (places !== expected) faults.push(`${key} is "${attempt.place.at}" but in "${places}"`);
    if (attempt.place.at === 'parked' && !workload.stopping.has(key)) {
      faults.push(`${key} is parked behind nothing`);
    }
  }
  for (const [key, attempt] of workload.stopping) {
    const places = placesOf(workload, attempt, queued);
    if (places !== 'handed') faults.push(`${key} is being stopped but in "${places}"`);
    const { place } = attempt;
    if (place.at !== 'handed' || place.ending !== 'drop') {
      faults.push(`${key} is being stopped, but not to be dropped`);
    }
    const successor = workload.held.get(key);
    if (successor !== undefined && successor.place.at !== 'parked') {
      faults.push(`${key} is held as "${successor.place.at}" while an older try is being stopped`);
    }
  }
  return faults;
}

function placesOf(
  workload: Workload,
  attempt: LocalAttempt,
  queued: ReadonlySet<LocalAttempt>,
): string {
  const places: string[] = [];
  if (queued.has(attempt)) places.push('queued');
  for (const slot of workload.slots) {
    if (slot.handed.get(attempt.key) === attempt) places.push('handed');
  }
  if (workload.outbox.has(attempt)) places.push('reported');
  return places.join('+');
}

function countFaults(workload: Workload): string[] {
  const { held, stopping, queue, outbox, slots } = workload;
  const faults: string[] = [];
  let elsewhere = 0;
  for (const { place } of held.values()) {
    if (place.at === 'parked' || place.at === 'saving') elsewhere += 1;
  }
  let handed = 0;
  for (const slot of slots) {
    handed += slot.handed.size;
    const owners = new Set([...slot.handed.values()].map(({ owner }) => owner));
    if (owners.size > 1) faults.push(`slot ${slot.index} holds attempts of several owners`);
    if (slot.running !== null && slot.handed.get(slot.running.key) !== slot.running) {
      faults.push(`slot ${slot.index} runs ${slot.running.key}, which it does not hold`);
    }
  }
  const placed = queue.size + handed + outbox.size + elsewhere;
  if (placed !== held.size + stopping.size) {
    faults.push(`${placed} attempts have a place, ${held.size} + ${stopping.size} are known`);
  }
  for (const { next, priority, key } of queue) {
    if (next !== null && next.priority > priority)
      faults.push(`${key} is queued before ${next.key}`);
  }
  if ([...queue].length !== queue.size) faults.push(`the queue miscounts itself: ${queue.size}`);
  return faults;
}

function jobFaults(workload: Workload): string[] {
  const counted = new Map<Job, number>();
  for (const attempts of [workload.held, workload.stopping]) {
    for (const { job } of attempts.values()) counted.set(job, (counted.get(job) ?? 0) + 1);
  }
  for (const job of workload.jobs.all()) if (!counted.has(job)) counted.set(job, 0);
  return [...counted]
    .filter(([job, count]) => job.held !== count)
    .map(([job, count]) => `job ${job.program.jobId} counts ${job.held} held, there are ${count}`);
}
