// The workers of the last snapshot, by row. Rows shift when workers join and leave; what a scheduler
// remembers of a worker (a turn, a credit) belongs to its id, and moves with it to its new row.

import type { Snapshot, WorkerView } from '../../core/snapshot.ts';

export class Roster {
  /** Ids by row, in registration order. */
  ids: readonly string[] = [];
  #workers: readonly WorkerView[] | undefined;

  /** True when the snapshot has other workers. Cheap while none joins or leaves. */
  isStale({ workers }: Snapshot): boolean {
    const { ids } = this;
    if (workers === this.#workers) return false;
    if (workers.length !== ids.length) return true;
    for (let row = 0; row < ids.length; row++) if (workers[row]!.id !== ids[row]) return true;
    this.#workers = workers;
    return false;
  }

  follow({ workers }: Snapshot): void {
    this.ids = workers.map(({ id }) => id);
    this.#workers = workers;
  }
}

export function rowsById({ workers }: Snapshot): Map<string, number> {
  return new Map(workers.map(({ id }, row) => [id, row]));
}
