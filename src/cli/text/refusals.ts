// Workers that refuse whatever they are offered, below the list of workers.

import type { WorkerResource } from '../../client/index.ts';
import { duration } from './wording.ts';

/** `phone refuses tasks of one job after another (the last: battery at 7 %), is asked again in 32 s` */
export function refusalLines(
  workers: readonly Pick<WorkerResource, 'id' | 'name' | 'refusing'>[],
  nowMs: number,
): readonly string[] {
  return workers.flatMap(({ id, name, refusing }) => {
    if (refusing === undefined) return [];
    const { reason, until } = refusing;
    const leftMs = Date.parse(until) - nowMs;
    const why = reason === null ? '' : ` (the last: ${reason})`;
    const next = leftMs > 0 ? `is asked again in ${duration(leftMs)}` : 'is asked again now';
    return [`${name ?? id} refuses tasks of one job after another${why}, ${next}`];
  });
}
