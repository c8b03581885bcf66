import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { batch, startAt, tokenRow } from '../../store/conformance/rows.ts';
import { openSqliteStore } from '../../store/sqlite/open.ts';
import type { Context } from '../context.ts';
import { openTokenDesk } from './token-desk.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'muster-desk-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

test('while no coordinator serves, tokens of workers are listed and revoked in the database', async () => {
  const path = join(folder, 'muster.db');
  const store = openSqliteStore(path);
  const ofWorker = tokenRow(2, { kind: 'worker', workerId: 'worker-2', givenName: 'lab' });
  await store.commit(batch({ tokens: [tokenRow(1, { kind: 'admin' }), ofWorker] }), startAt);
  await store.close();
  const flags = { dataDir: folder, store: `sqlite:${path}` };
  const desk = await openTokenDesk(flags, folder, { folder } as Context, false);
  const { id } = ofWorker;
  const listed = { id, worker_id: 'worker-2', worker_name: 'lab', status: 'good' };
  expect(await desk!.list({ workers: true })).toMatchObject([listed]);
  expect(await desk!.revoke(id)).toMatchObject({ ...listed, status: 'revoked' });
  expect(await desk!.list({ workers: true })).toEqual([]);
  await expect(desk!.revoke('worker-2')).rejects.toThrow('No token has the id "worker-2".');
  await desk!.close();
});
