// A row of the log of commits.

import type { Row } from '../driver/statement.ts';

export interface LogEntry {
  readonly sequence: number;
  /** A UUID, new with every takeover. */
  readonly term: string;
  /** The sequence of the newest batch. */
  readonly batch: number;
  /** When that was committed; null before the first. */
  readonly at: number | null;
  readonly nextWorkerKey: number;
  readonly nextRecoveryId: number;
  readonly nextCheckpointId: number;
  /** JSON; null before the first. */
  readonly totals: string | null;
}

const entries = `select sequence, term, batch, at, next_worker_key, next_recovery_id, next_checkpoint_id, totals
  from commits`;
export const newestEntry = `${entries} order by sequence desc limit 1`;
export const entryAt = `${entries} where sequence = $1 and term = $2`;

export function toEntry(row: Row): LogEntry {
  return {
    sequence: row[0] as number,
    term: row[1] as string,
    batch: row[2] as number,
    at: row[3] as number | null,
    nextWorkerKey: row[4] as number,
    nextRecoveryId: row[5] as number,
    nextCheckpointId: row[6] as number,
    totals: row[7] as string | null,
  };
}
