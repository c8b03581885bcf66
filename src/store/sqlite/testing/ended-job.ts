// A database file that is closed again: job 1 has ended with eight results and two errors, job 2 is open,
// and there is a blob of two chunks.

import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import {
  attemptRow,
  batch,
  blobOf,
  completedRow,
  failedRow,
  jobRow,
  payload,
  startAt,
  workerRow,
} from '../../conformance/rows.ts';
import { openSqliteStore } from '../open.ts';
import { makeDirectory } from './directory.ts';

export const blob = blobOf(300_000);

export async function endedJobFile(): Promise<string> {
  const path = join(await makeDirectory(), 'muster.db');
  const store = openSqliteStore(path);
  const done = { status: 'failed', completed: 8, failed: 2, completedAt: startAt } as const;
  await store.commit(
    batch({
      jobs: [jobRow(1, {}, done), jobRow(2)],
      tasks: [
        ...[0, 1, 2, 3, 4, 5, 6, 7].map((index) => completedRow(1, index, `"value ${index}"`)),
        failedRow(1, 8),
        failedRow(1, 9),
        completedRow(2, 0, '"value"'),
      ],
      attempts: [attemptRow(1, 8, 1), attemptRow(1, 8, 2)],
      workers: [workerRow(1)],
      payloads: [payload(2, 10)],
    }),
    startAt,
  );
  await store.putBlob(blob.sha256, blob.bytes, startAt);
  await store.close();
  return path;
}

/** Changes values behind the back of the store: their hashes stay as they are. */
export function change(path: string, sql: string): void {
  const db = new DatabaseSync(path);
  db.exec(sql);
  db.close();
}
