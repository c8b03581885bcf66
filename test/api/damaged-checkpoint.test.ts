// The state of a checkpoint that the disk has damaged: the task goes on from the one before.

import { hash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import type { AttemptRecord } from '../../src/core/records.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { change, endedJobFile } from '../../src/store/sqlite/testing/ended-job.ts';
import { batch, newCheckpoint, startAt } from '../../src/store/conformance/rows.ts';
import { ResumePoints } from '../../src/coordinator/workers/resume-points.ts';

const sha256Of = (text: string | Uint8Array) => hash('sha256', text, 'hex');

test('a state in a blob that the disk has damaged is dropped, and the one before is resumed from', async () => {
  const path = await endedJobFile();
  const older = '{"at":1}';
  const newer = '{"at":2}';
  const bytes = gzipSync(newer);
  const row = (text: string) => ({ sizeBytes: text.length, sha256: sha256Of(text) });
  const state = { encoding: 'blob', blobSha256: sha256Of(bytes) } as const;
  const checkpoints = [
    newCheckpoint(1, 2, row(older), { encoding: 'json', text: older }),
    newCheckpoint(2, 2, row(newer), state),
  ];
  const writing = openSqliteStore(path);
  await writing.putBlob(state.blobSha256, bytes, startAt);
  await writing.commit(batch({ sequence: 2, checkpoints }), startAt);
  await writing.close();
  change(path, 'update blob_chunks set bytes = zeroblob(length(bytes))');
  const store = openSqliteStore(path);
  const dropped: number[] = [];
  const how = { hash: sha256Of, turn: async () => undefined };
  const points = new ResumePoints(store, how, ({ id }) => dropped.push(id));
  const task = { checkpoints: checkpoints.map((each) => each.row) };
  const attempt = { task, resumedFrom: task.checkpoints[1] };
  const found = await points.find(attempt as unknown as AttemptRecord);
  expect(found).toMatchObject({ sequence: 1, state: { text: older } });
  expect(dropped).toEqual([2]);
  await store.close();
});
