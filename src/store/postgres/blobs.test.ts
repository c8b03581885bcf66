import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { blobOf, startAt } from '../conformance/rows.ts';
import { PostgresBlobs } from './blobs.ts';
import { parseAddress } from './driver/address.ts';
import { Reader } from './driver/reader.ts';
import { makePool } from './driver/session.ts';
import { openPostgresStore } from './open.ts';
import { sweepBlob } from './tables/blob-bytes.ts';
import { makeSchema } from './testing/schemas.ts';

async function makeBlobs() {
  const schema = makeSchema();
  onTestFinished(() => schema.remove());
  await (await openPostgresStore(schema.address, { connections: 1 })).close();
  const address = parseAddress(schema.address);
  const reader = new Reader(makePool(address, 8), address);
  onTestFinished(() => reader.close());
  const member = randomUUID();
  const count = async (table: string) =>
    (await reader.query(`select count(*) from ${table}`))[0]![0] as number;
  const sweep = async (by = member) => {
    const step = () => reader.write((query) => sweepBlob(query, by, 2));
    for (let steps = 0; (await step()) > 0; steps++) expect(steps).toBeLessThan(20);
    return { blobs: await count('blobs'), chunks: await count('blob_chunks') };
  };
  return { reader, member, sweep, blobs: new PostgresBlobs(reader, member) };
}

test('of many drafts of a blob that are finished at once one is new, and the others find it', async () => {
  const { blobs, sweep } = await makeBlobs();
  const { sha256, bytes } = blobOf(600_000);
  const drafts = Array.from({ length: 6 }, () => blobs.beginBlob());
  for (const draft of drafts) await draft.append(bytes);
  const answers = await Promise.all(
    drafts.map((draft, i) => draft.finish(sha256, startAt, `owner-${i}`)),
  );
  expect(answers.filter((isNew) => isNew)).toHaveLength(1);
  expect(await sweep()).toEqual({ blobs: 1, chunks: 3 });
  expect(Buffer.compare((await blobs.readBlob(sha256))!, bytes)).toBe(0);
  expect(await blobs.isBlobOf(sha256, 'owner-5')).toBe(true);
  expect(await blobs.blobBytesOf('owner-0')).toBe(600_000);
});

test('a draft is swept once it is abandoned, or its process is gone, and not before', async () => {
  const { reader, blobs, sweep } = await makeBlobs();
  const { bytes } = blobOf(600_000);
  const [abandoned, left] = [blobs.beginBlob(), blobs.beginBlob()];
  for (const draft of [abandoned, left]) await draft.append(bytes);
  expect(await sweep()).toEqual({ blobs: 2, chunks: 4 });
  abandoned.abandon();
  await expect
    .poll(async () => (await reader.query('select 1 from blobs where member is null')).length)
    .toBe(1);
  expect(await sweep()).toEqual({ blobs: 1, chunks: 2 });
  expect(await sweep(randomUUID())).toEqual({ blobs: 0, chunks: 0 });
  await expect(left.append(bytes)).rejects.toMatchObject({ code: 'store_deposed' });
  await expect(left.finish('ab'.repeat(32), startAt)).rejects.toMatchObject({
    code: 'store_deposed',
  });
  expect(await sweep(randomUUID())).toEqual({ blobs: 0, chunks: 0 });
});

test('a draft of a member is not swept by the leader as long as the member is seen', async () => {
  const { reader, member, blobs, sweep } = await makeBlobs();
  await reader.write((query) =>
    query(
      `insert into coordinators (id, url, version, may_lead, workers, seen_at)
        values ($1, 'http://it', '1', true, 0, extract(epoch from clock_timestamp()) * 1000)`,
      [member],
    ),
  );
  const { sha256, bytes } = blobOf(600_000);
  const [whole, half] = [blobs.beginBlob(), blobs.beginBlob()];
  for (const draft of [whole, half]) await draft.append(bytes);
  const staged = await whole.stage();
  const leader = randomUUID();
  expect(await sweep(leader)).toEqual({ blobs: 2, chunks: 5 });
  expect(await new PostgresBlobs(reader, leader).resumeBlob(staged).finish(sha256, startAt)).toBe(
    true,
  );
  whole.abandon();
  const late = await half.stage();
  await reader.write((query) => query('update coordinators set seen_at = seen_at - 61000'));
  expect(await sweep(leader)).toEqual({ blobs: 1, chunks: 3 });
  expect(Buffer.compare((await blobs.readBlob(sha256))!, bytes)).toBe(0);
  const again = new PostgresBlobs(reader, leader).resumeBlob(late);
  await expect(again.finish('ab'.repeat(32), startAt)).rejects.toMatchObject({
    code: 'store_deposed',
  });
});

test('a draft of which the database has lost a chunk gets no name', async () => {
  const { reader, blobs, sweep } = await makeBlobs();
  const { sha256, bytes } = blobOf(600_000);
  const [draft, small] = [blobs.beginBlob(), blobs.beginBlob()];
  for (const each of [draft, small]) await each.append(bytes);
  // As after a crash of the server: the newest of what was written without a sync is gone.
  await reader.write((query) => query('delete from blob_chunks where number = 1'));
  await expect(draft.finish(sha256, startAt)).rejects.toMatchObject({ code: 'store_deposed' });
  const staged = await small.stage();
  await expect(blobs.resumeBlob(staged).finish(sha256, startAt)).rejects.toMatchObject({
    code: 'store_deposed',
  });
  expect(await blobs.findBlob(sha256)).toBeUndefined();
  await expect.poll(() => sweep()).toEqual({ blobs: 0, chunks: 0 });
  const empty = blobOf(0);
  expect(await blobs.beginBlob().finish(empty.sha256, startAt)).toBe(true);
});

test('a draft is not named with another size than it has', async () => {
  const { blobs } = await makeBlobs();
  const { sha256, bytes } = blobOf(600_000);
  const draft = blobs.beginBlob();
  await draft.append(bytes);
  const staged = { ...(await draft.stage()), sizeBytes: 600_001 };
  await expect(blobs.resumeBlob(staged).finish(sha256, startAt)).rejects.toMatchObject({
    code: 'store_deposed',
  });
  expect(await blobs.findBlob(sha256)).toBeUndefined();
});

test('blobs that are touched and collected at once are there, or are not', async () => {
  const { blobs } = await makeBlobs();
  const some = Array.from({ length: 30 }, (_, i) => blobOf(10 + i));
  for (const { sha256, bytes } of some) await blobs.putBlob(sha256, bytes, startAt);
  const hashes = some.map(({ sha256 }) => sha256);
  const rounds = Array.from({ length: 10 }, async (_, i) => {
    const half = hashes.filter((_hash, place) => place % 2 === i % 2);
    const touched = await blobs.touchAll(half.toReversed(), startAt + 120_000);
    while (await blobs.collectBlobs(startAt + 60_000, 4));
    return touched.map(({ sha256 }) => sha256);
  });
  const touched = new Set((await Promise.all(rounds)).flat());
  for (const sha256 of hashes) {
    expect((await blobs.findBlob(sha256)) !== undefined).toBe(touched.has(sha256));
  }
});

test('a blob whose bytes are missing is told as damaged', async () => {
  const { reader, blobs } = await makeBlobs();
  const { sha256, bytes } = blobOf(300_000);
  await blobs.putBlob(sha256, bytes, startAt);
  await reader.write((query) => query('delete from blob_chunks where number = 1'));
  expect((await blobs.readBlobPart(sha256, 0))?.length).toBe(262_144);
  const damaged = { code: 'value_damaged', message: expect.stringContaining(sha256) as string };
  await expect(blobs.readBlobPart(sha256, 270_000)).rejects.toMatchObject(damaged);
  await expect(blobs.readBlob(sha256)).rejects.toMatchObject(damaged);
});
