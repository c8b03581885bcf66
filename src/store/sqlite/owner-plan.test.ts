// What is asked for one owner is found in an index that begins with it, however much others have.

import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { openSqliteStore } from './open.ts';
import { AttemptTable } from './tables/attempt-table.ts';
import { BlobTable } from './tables/blob-table.ts';
import { CheckpointTable } from './tables/checkpoint-table.ts';
import { OwnJobList } from './tables/own-job-list.ts';
import { RecoveryTable } from './tables/recovery-table.ts';
import { ValueGuard } from './tables/value-hash.ts';
import { WorkTable } from './tables/work-table.ts';
import { makeDirectory } from './testing/directory.ts';
import { listeningTo, planOf } from './testing/listening.ts';

test('nothing of an owner makes the store read what others have', async () => {
  const path = join(await makeDirectory(), 'jobs.db');
  await openSqliteStore(path).close();
  const db = new DatabaseSync(path);
  const { listening, asked } = listeningTo(db);
  const guard = new ValueGuard(0);
  const tables = [
    new OwnJobList(listening),
    new RecoveryTable(listening),
    new CheckpointTable(listening),
    new WorkTable(listening),
    new AttemptTable(listening, guard),
    new BlobTable(listening, guard),
  ];
  expect(tables).toHaveLength(6);
  const steps = asked
    .filter((sql) => /^select\b[^]*\bowner = \?/.test(sql) && !sql.includes('owner is null'))
    .flatMap((sql) => planOf(db, sql))
    .filter((step) => !/^(SCAN CONSTANT ROW|SCALAR SUBQUERY)/.test(step));
  expect(steps).toEqual([
    `${own('jobs', 'COVERING ', 'jobs_by_status')} AND generation=? AND status=? AND key<?)`,
    `${own('jobs', 'COVERING ', 'jobs_by_client')} AND generation=? AND client_id=? AND status=? AND key<?)`,
    `${own('jobs', 'COVERING ', 'jobs_by_name')} AND generation=? AND name=?)`,
    `${own('jobs', '', 'jobs_by_beginning')} AND id>? AND id<?)`,
    `${own('jobs', '', 'jobs_by_end')} AND <expr>=?)`,
    `${own('jobs', 'COVERING ', 'jobs_ended')} AND generation=? AND completed_at>? AND completed_at<?)`,
    `${own('recoveries', '', 'recoveries')} AND id<?)`,
    `${own('checkpoints', '', 'checkpoints')} AND id<?)`,
    `${own('work', '', 'work')} AND (bucket_at,job_key,worker_id)>(?,?,?))`,
    `${own('work_seconds', '', 'work_seconds')} AND (second_at,job_key)>(?,?) AND second_at<?)`,
    `${own('attempts', '', 'attempts')} AND worker_id=?)`,
    'SEARCH jobs USING INTEGER PRIMARY KEY (rowid=?)',
    'SEARCH owner_bytes USING PRIMARY KEY (owner=?)',
    'SEARCH blob_owners USING PRIMARY KEY (blob_key=? AND owner=?)',
    `${own('refs', 'COVERING ', 'blob_references')} AND sha256=?)`,
    'SEARCH jobs EXISTS USING INTEGER PRIMARY KEY (rowid=?)',
  ]);
  db.close();
});

function own(table: string, covering: string, index: string): string {
  return `SEARCH ${table} USING ${covering}INDEX own_${index} (owner=?`;
}
