// An unknown id often has a typing error: the refusal names the most similar one that exists.

import type { MusterClient } from '../client/index.ts';
import { CommandFailure } from './command-failure.ts';
import { didYouMean } from './suggestion.ts';

/** Enough to contain the job that a person has just seen in a list. */
const JOBS_COMPARED = 1_000;

export function withNearestJob<T>(
  client: MusterClient,
  id: string,
  call: () => Promise<T>,
): Promise<T> {
  return withNearest(id, 'unknown_job', call, async () => {
    const jobs = await client.jobs({ limit: JOBS_COMPARED });
    return jobs.map((job) => job.id);
  });
}

export function withNearestWorker<T>(
  client: MusterClient,
  id: string,
  call: () => Promise<T>,
): Promise<T> {
  return withNearest(id, 'unknown_worker', call, async () => {
    const workers = await client.workers();
    return workers.map((worker) => worker.id);
  });
}

async function withNearest<T>(
  id: string,
  code: string,
  call: () => Promise<T>,
  names: () => Promise<readonly string[]>,
): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof Error) || (error as { code?: unknown }).code !== code) throw error;
    const known = await names().catch(() => []);
    const list = code === 'unknown_job' ? 'muster jobs' : 'muster workers';
    throw new CommandFailure(
      'refused',
      error.message,
      [...didYouMean(id, known), `\`${list}\` lists those that there are.`],
      error,
    );
  }
}
