// How long tasks take, and which take far longer, from the attempts of the last time.

import type { AttemptOfHistory as Attempt } from '../../../../protocol/evaluation.ts';

export interface TaskTimes {
  /** Completed attempts that it is made of. */
  readonly count: number;
  /** Seconds; null under five. */
  readonly median: number | null;
  readonly p95: number | null;
}

const fewest = 5;
export const stragglerFactor = 4;

/** Several parts of a page ask for the same attempts, each time they are drawn. */
function onceFor<T extends object>(
  make: (attempts: readonly Attempt[]) => T,
): (attempts: readonly Attempt[]) => T {
  const known = new WeakMap<readonly Attempt[], T>();
  return (attempts) => {
    const made = known.get(attempts) ?? make(attempts);
    known.set(attempts, made);
    return made;
  };
}

export const taskTimes = onceFor(timesOf);

function timesOf(attempts: readonly Attempt[]): TaskTimes {
  const seconds = attempts
    .filter(({ status, started_at }) => status === 'completed' && started_at !== null)
    .map(secondsOf)
    .toSorted((a, b) => a - b);
  if (seconds.length < fewest) return { count: seconds.length, median: null, p95: null };
  return { count: seconds.length, median: quantile(seconds, 0.5), p95: quantile(seconds, 0.95) };
}

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!;
}

function secondsOf({ started_at: from, ended_at: to }: Attempt): number {
  return (Date.parse(to!) - Date.parse(from!)) / 1000;
}

/**
 * Those that ran, when the attempts were told, for more than four times what is usual: everywhere, and on the same
 * device where that is known. A slow device is no straggler.
 */
export function stragglersOf(attempts: readonly Attempt[], atMs: number): readonly Attempt[] {
  const { median } = taskTimes(attempts);
  if (median === null) return [];
  return attempts.filter(({ status, started_at: from, worker_id: worker }) => {
    if (status !== 'running' || from === null) return false;
    const usual = (atMs - Date.parse(from)) / 1000 / stragglerFactor;
    if (usual <= Math.max(median, 0.25)) return false;
    const own = ofEachWorker(attempts).get(worker)!.median;
    return own === null || usual > own;
  });
}

const ofEachWorker = onceFor((attempts) => {
  const byWorker = new Map<string, Attempt[]>();
  for (const attempt of attempts) {
    const own = byWorker.get(attempt.worker_id);
    if (own === undefined) byWorker.set(attempt.worker_id, [attempt]);
    else own.push(attempt);
  }
  return new Map([...byWorker].map(([worker, own]) => [worker, timesOf(own)]));
});

export interface Repeats {
  readonly attempts: number;
  /** Of the time that all attempts took, 0 to 1. */
  readonly share: number;
}

const forNothing: ReadonlySet<Attempt['status']> = new Set([
  'failed',
  'lost',
  'timed_out',
  'revoked',
  'released',
  'superseded',
]);

/** Attempts that brought nothing. */
export const repeatsOf = onceFor((attempts): Repeats => {
  const ended = attempts.filter(
    ({ started_at: from, ended_at: to }) => from !== null && to !== null,
  );
  const lost = ended.filter(({ status }) => forNothing.has(status));
  const sum = (of: readonly Attempt[]): number =>
    of.reduce((seconds, attempt) => seconds + secondsOf(attempt), 0);
  const all = sum(ended);
  return { attempts: lost.length, share: all === 0 ? 0 : sum(lost) / all };
});
