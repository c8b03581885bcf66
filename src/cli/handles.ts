// Handles: what a person types instead of the whole id of a job or a worker. The coordinator finds who may
// be meant; what it answers is looked at again, as an older one does not know the question and answers
// with everything. What nobody has is often a typing error: then the most similar is named.

import { isMeant, type Named } from '../core/handle.ts';
import type { MusterClient } from '../client/index.ts';
import { CommandFailure } from './command-failure.ts';
import { didYouMean } from './suggestion.ts';
import { renderTable } from './text/table.ts';
import { ago } from './text/wording.ts';

/** The newest job. A job of that name is reached by its id. */
export const LAST = 'last';
export const JOB_HANDLE = 'id of the job, its beginning or end (4 characters), its name, or last';
export const WORKER_HANDLE = 'id of the worker, its beginning or end (4 characters), or its name';

/** Enough to contain the job that a person has just seen in a list. */
const JOBS_COMPARED = 1_000;
const CANDIDATES_SHOWN = 8;
const WHOLE_ID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

/** Not a part of an id, a name or `last`: it always means the same job. */
export function isWholeId(handle: string): boolean {
  return WHOLE_ID.test(handle);
}

/** Calls with the id of the job that is meant. */
export async function withJob<T>(
  client: Pick<MusterClient, 'jobs'>,
  handle: string,
  call: (jobId: string) => Promise<T>,
): Promise<T> {
  const id = await jobIdOf(client, handle);
  return withNearest(id, 'unknown_job', call, () => client.jobs({ limit: JOBS_COMPARED }));
}

/** Calls with the id of the worker that is meant. */
export async function withWorker<T>(
  client: Pick<MusterClient, 'workers'>,
  handle: string,
  call: (workerId: string) => Promise<T>,
): Promise<T> {
  const id = await workerIdOf(client, handle);
  return withNearest(id, 'unknown_worker', call, () => client.workers());
}

/** The handle itself when nobody is meant: the coordinator refuses it in its own words. */
export async function jobIdOf(client: Pick<MusterClient, 'jobs'>, handle: string): Promise<string> {
  if (handle === '' || isWholeId(handle)) return handle;
  if (handle === LAST) {
    const [newest] = await client.jobs({ limit: 1 });
    if (newest !== undefined) return newest.id;
    throw new CommandFailure('refused', 'There is no job yet, so none is the last.', [
      'Submit one with  muster submit PROGRAM.js --inputs FILE',
    ]);
  }
  const jobs = await client.jobs({ handle, limit: CANDIDATES_SHOWN + 1 });
  return theOne('jobs', handle, jobs, ({ created_at }) => created_at);
}

export async function workerIdOf(
  client: Pick<MusterClient, 'workers'>,
  handle: string,
): Promise<string> {
  if (handle === '' || isWholeId(handle)) return handle;
  const workers = await client.workers({ handle });
  return theOne('workers', handle, workers, ({ registered_at }) => registered_at);
}

function theOne<Item extends Named & { readonly status: string }>(
  what: string,
  handle: string,
  items: readonly Item[],
  begun: (item: Item) => string,
): string {
  const meant = items.filter((item) => isMeant(handle, item));
  const whole = meant.find(({ id }) => id === handle);
  if (whole !== undefined || meant.length < 2) return (whole ?? meant[0])?.id ?? handle;
  const nowMs = Date.now();
  const table = renderTable<Item>(
    [
      { title: '', cell: ({ id }) => id },
      { title: '', cell: ({ name }) => name ?? '-' },
      { title: '', cell: ({ status }) => status },
      { title: '', cell: (item) => ago(begun(item), nowMs) },
    ],
    meant.slice(0, CANDIDATES_SHOWN),
  );
  const more = meant.length > CANDIDATES_SHOWN ? ['  …'] : [];
  const count = more.length > 0 ? `More than ${CANDIDATES_SHOWN}` : String(meant.length);
  throw new CommandFailure('usage', `${count} ${what} may be meant by ${JSON.stringify(handle)}:`, [
    ...table
      .split('\n')
      .slice(1)
      .map((line) => `  ${line}`),
    ...more,
    'Say more of the id; the ends differ most.',
  ]);
}

async function withNearest<T>(
  id: string,
  code: string,
  call: (id: string) => Promise<T>,
  known: () => Promise<readonly Named[]>,
): Promise<T> {
  try {
    return await call(id);
  } catch (error) {
    if (!(error instanceof Error) || (error as { code?: unknown }).code !== code) throw error;
    const all = await known().catch(() => []);
    const list = code === 'unknown_job' ? 'muster jobs' : 'muster workers';
    const names = all.flatMap(({ id: each, name }) => (name === null ? [each] : [each, name]));
    throw new CommandFailure(
      'refused',
      error.message,
      [...didYouMean(id, names), `\`${list}\` lists those that there are.`],
      error,
    );
  }
}

/** In a sentence: the whole id that was taken for a handle, and the name. */
export function namedText({ id, name }: Named): string {
  return name === null ? id : `${id} (${name})`;
}
