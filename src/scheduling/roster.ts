// Who was in the snapshot at the last look. Rows shift when workers join and leave; what a
// scheduler remembers of a worker (a turn, a credit) belongs to its id, and moves with it.

import type { Snapshot } from '../core/snapshot.ts';

export class Roster {
  /** Ids by row, in registration order. */
  ids: readonly string[] = [];
  #version = Number.NaN;

  /** True when it is not the roster of this snapshot. Cheap while the version stands. */
  isStale({ workers, version }: Snapshot): boolean {
    const { ids } = this;
    if (version === this.#version && workers.length === ids.length) return false;
    if (workers.length !== ids.length) return true;
    for (let row = 0; row < ids.length; row++) if (workers[row]!.id !== ids[row]) return true;
    this.#version = version;
    return false;
  }

  follow({ workers, version }: Snapshot): void {
    this.ids = workers.map(({ id }) => id);
    this.#version = version;
  }
}

export function rowsById({ workers }: Snapshot): Map<string, number> {
  return new Map(workers.map(({ id }, row) => [id, row]));
}
