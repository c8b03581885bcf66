// The process ends, or the server does.

import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { kill, readUntil, run } from '../conformance/doomed-process.ts';
import { expectWhole, newestPrinted } from '../conformance/whole-commits.ts';
import { parseAddress } from './driver/address.ts';
import { Reader } from './driver/reader.ts';
import { makePool } from './driver/session.ts';
import { PostgresInputStaging } from './input-staging.ts';
import { openPostgresStore } from './open.ts';
import { makeSchema } from './testing/schemas.ts';
import { makeServer } from './testing/server.ts';

test('another process that works on the database keeps this one out until it is killed', async () => {
  const { address, remove } = makeSchema();
  onTestFinished(remove);
  const child = run(script('hold.ts'), address);
  await once(child.stdout!, 'data');
  const waits: string[] = [];
  const tryToOpen = () => openPostgresStore(address, { onWaiting: () => waits.push('waits') });
  await expect(tryToOpen()).rejects.toMatchObject({
    code: 'store_locked',
    message: expect.stringContaining('Another coordinator works on the database') as string,
  });
  await kill(child);
  const store = await tryToOpen();
  expect(waits).toHaveLength(2);
  await store.close();
  const again = await tryToOpen();
  expect(waits).toHaveLength(2);
  await again.close();
});

// "`kill -9` of the coordinator at any moment loses nothing that was acknowledged."
test('a process that is killed amid its commits loses nothing that was acknowledged', async () => {
  const { address, remove } = makeSchema();
  onTestFinished(remove);
  let known = 0;
  for (let life = 1; life <= 5; life++) {
    const child = run(script('write.ts'), address);
    const text = await readUntil(child, life * 17);
    await kill(child);
    const sequence = await open(address);
    expect(sequence).toBeGreaterThanOrEqual(newestPrinted(text()));
    expect(sequence).toBeGreaterThan(known);
    known = sequence;
  }
});

test('a server that is ended amid commits loses nothing that was acknowledged', async () => {
  const server = await makeServer({ fsync: true });
  onTestFinished(() => server.remove());
  let known = 0;
  for (let life = 1; life <= 3; life++) {
    const child = run(script('write.ts'), server.url, 'ignore');
    const over = once(child, 'close');
    const text = await readUntil(child, life * 17);
    await server.kill();
    await over;
    expect(child.exitCode).not.toBe(0);
    await server.start();
    const sequence = await open(server.url);
    expect(sequence).toBeGreaterThanOrEqual(newestPrinted(text()));
    expect(sequence).toBeGreaterThan(known);
    known = sequence;
  }
});

// "Streamed submissions: the job is invisible until all of it has arrived and is committed."
test('inputs that a crash of the server takes back are missed by what follows them, and by their end', async () => {
  const server = await makeServer({ fsync: true });
  onTestFinished(() => server.remove());
  await (await openPostgresStore(server.url)).close();
  const address = parseAddress(server.url);
  // Nobody else writes: a commit that waits for the disk would bring along what came before it.
  const reader = new Reader(makePool(address, 1), address);
  onTestFinished(() => reader.close());
  const store = new PostgresInputStaging(reader, randomUUID());
  const count = async (jobKey: number) =>
    (await reader.query('select count(*) from inputs where job_key = $1', [jobKey]))[0]![0];
  const [goesOn, ends, begins, sealed, dropped] = [1, 2, 3, 4, 5];
  for (const key of [goesOn, ends, sealed, dropped]) await store.stageInputs(key, 0, ['0', '1']);
  expect(await store.sealStaged(sealed, 2)).toBe(true);
  await server.holdLog();
  for (const key of [goesOn, ends]) expect(await store.stageInputs(key, 2, ['2'])).toBe(true);
  expect(await store.stageInputs(begins, 0, ['0'])).toBe(true);
  await server.kill();
  await expect(store.dropStaged(dropped)).rejects.toMatchObject({ code: 'store_write_failed' });
  expect(await store.stageInputs(dropped, 2, ['2'])).toBe(false);
  await server.start();

  expect(await Promise.all([goesOn, ends, begins, sealed].map(count))).toEqual([2, 2, 0, 2]);
  expect(await store.stageInputs(goesOn, 3, ['3'])).toBe(false);
  expect(await store.stageInputs(begins, 1, ['1'])).toBe(false);
  expect(await store.sealStaged(ends, 3)).toBe(false);
  expect(await store.sealStaged(begins, 1)).toBe(false);
  expect(await store.sealStaged(sealed, 2)).toBe(true);

  // What could not be dropped is, as soon as something else begins.
  expect(await store.sealStaged(dropped, 2)).toBe(true);
  expect(await store.stageInputs(6, 0, ['0'])).toBe(true);
  expect(await store.sealStaged(dropped, 2)).toBe(false);
});

test('inputs that were dropped stay so when the server crashes', async () => {
  const server = await makeServer({ fsync: true });
  onTestFinished(() => server.remove());
  await (await openPostgresStore(server.url)).close();
  const address = parseAddress(server.url);
  const reader = new Reader(makePool(address, 1), address);
  onTestFinished(() => reader.close());
  const store = new PostgresInputStaging(reader, randomUUID());
  await store.stageInputs(1, 0, ['0', '1']);
  expect(await store.sealStaged(1, 2)).toBe(true);
  await server.holdLog();
  await store.dropStaged(1);
  await server.kill();
  await server.start();
  expect(await reader.query('select job_key, dropped from staged')).toEqual([[1, true]]);
});

/** As a start after the crash does. Returns how many commits there are, all of them whole. */
async function open(address: string): Promise<number> {
  const store = await openPostgresStore(address, { standstillMs: 0 });
  const sequence = await expectWhole(store);
  await store.close();
  return sequence;
}

function script(name: string): string {
  return join(import.meta.dirname, 'testing', name);
}
