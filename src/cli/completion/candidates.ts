// What a shell offers for a job or a worker: names that only one has, and ids. Whatever could mean something
// to a shell is left out, and so is everything when the coordinator does not answer at once.

import type { MusterClient } from '../../client/index.ts';
import type { Named } from '../../core/handle.ts';
import { LAST } from '../handles.ts';

const JOBS_OFFERED = 50;
const ANSWER_MS = 1_000;
const HARMLESS = /^[\w@%+,.:/][\w@%+,.:/-]{0,99}$/;

export async function candidates(
  client: Pick<MusterClient, 'jobs' | 'workers'>,
  kind: 'jobs' | 'workers',
): Promise<readonly string[]> {
  const signal = AbortSignal.timeout(ANSWER_MS);
  try {
    if (kind === 'workers') return wordsOf(await client.workers({ signal }));
    return [LAST, ...wordsOf(await client.jobs({ limit: JOBS_OFFERED, signal }))];
  } catch {
    return [];
  }
}

function wordsOf(items: readonly Named[]): readonly string[] {
  const names = items.flatMap(({ name }) => name ?? []);
  const unique = names.filter((name) => names.indexOf(name) === names.lastIndexOf(name));
  return [...unique, ...items.map(({ id }) => id)].filter((word) => HARMLESS.test(word));
}
