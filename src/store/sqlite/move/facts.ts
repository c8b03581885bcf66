// Facts about a whole database, in a file: its one row of `meta`.

import type { DatabaseSync } from 'node:sqlite';
import type { MovedFacts } from '../../move/moved-tables.ts';
import { MetaTable } from '../tables/meta-table.ts';

export function readFacts(db: DatabaseSync): MovedFacts {
  const { hashedFrom: _, generation, sequence, lastCommitAt, ...rest } = new MetaTable(db).read();
  const { nextJobKey, nextWorkerKey, nextRecoveryId, nextCheckpointId, config, totals } = rest;
  return {
    generation,
    sequence,
    lastCommitAt,
    nextJobKey,
    nextWorkerKey,
    nextRecoveryId,
    nextCheckpointId,
    config,
    totals,
  };
}

/** All values that are written from now on have a hash. */
export function writeFacts(db: DatabaseSync, facts: MovedFacts): void {
  new MetaTable(db).write({ ...facts, hashedFrom: 1 });
}
