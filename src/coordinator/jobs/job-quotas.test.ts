// Quotas where they are decided: what is counted after a crash and after whatever became of the jobs.

import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { submission, VirtualCluster } from '../../../test/support/virtual-cluster.ts';
import type { Quotas } from '../../protocol/quotas.ts';
import type { Submission } from '../port/jobs.ts';
import type { Principal } from '../port/principal.ts';

const minute = 60_000;

const client = (owner: string, quota?: Quotas): Principal => ({
  role: 'client',
  tokenId: `of-${owner}`,
  owner,
  seesAll: false,
  ...(quota === undefined ? {} : { quota }),
});

async function submit(
  cluster: VirtualCluster,
  who: Principal,
  id: string,
  inputs: readonly string[] = ['1', '2'],
  given: Partial<Submission> = {},
) {
  cluster.runtime.names.push(id);
  const { submissions } = cluster.coordinator.for(who);
  const result = await cluster.answer(
    submissions.submit(submission(given), { type: 'list', inputs }),
  );
  cluster.runtime.names.length = 0;
  return result;
}

const used = (cluster: VirtualCluster, who: Principal) =>
  cluster.answer(cluster.coordinator.for(who).quota.use());

const source = 'export default (x) => x'.length;

describe('what an owner uses', () => {
  test('is the same after a crash', async () => {
    const cluster = await VirtualCluster.start();
    const ann = client('ann', { stored_bytes: 1_000 });
    await submit(cluster, ann, 'a', ['10', '20', '30']);
    await submit(cluster, ann, 'b', ['4']);
    const worker = await cluster.join('worker');
    worker.complete('a.0', 'result');
    await cluster.settle();
    const before = await used(cluster, ann);
    expect(before).toMatchObject({
      open_jobs: 2,
      queued_tasks: 3,
      stored_bytes: 7 + 2 * source + '"result"'.length,
    });
    await cluster.crash();
    expect(await used(cluster, ann)).toEqual({ ...before, submissions_per_minute: 0 });
    expect(await used(cluster, client('bob'))).toMatchObject({ open_jobs: 0, stored_bytes: 0 });
  });

  test('is free again when jobs are deleted, cleared away, or were kept for long enough', async () => {
    const cluster = await VirtualCluster.start();
    const ann = client('ann', { stored_bytes: 2 * (source + 2) });
    for (const id of ['a', 'b']) {
      const given = { retainMs: 10 * minute };
      expect(await submit(cluster, ann, id, ['1', '2'], given)).toMatchObject({ ok: true });
    }
    expect(await submit(cluster, ann, 'c')).toMatchObject({
      rejection: { exceeded: { quota: 'stored_bytes' } },
    });
    const { jobs } = cluster.coordinator.for(ann);
    for (const id of ['a', 'b']) await cluster.answer(jobs.cancel(id));
    await cluster.answer(jobs.delete('a'));
    expect((await submit(cluster, ann, 'c')).ok).toBe(true);
    await cluster.advance(20 * minute);
    expect(await used(cluster, ann)).toMatchObject({ stored_bytes: source + 2 });
    await cluster.answer(cluster.coordinator.clear());
    expect(await used(cluster, ann)).toMatchObject({ open_jobs: 0, queued_tasks: 0 });
    expect(await used(cluster, ann)).toMatchObject({ stored_bytes: 0 });
  });

  test('counts what tasks share: with the job, or as a blob of the owner', async () => {
    const cluster = await VirtualCluster.start();
    const ann = client('ann', { stored_bytes: 100_000 });
    const short = JSON.stringify('s'.repeat(1_000));
    expect(await submit(cluster, ann, 'a', ['1'], { shared: short })).toMatchObject({ ok: true });
    const kept = source + 1 + short.length;
    expect(await used(cluster, ann)).toMatchObject({ stored_bytes: kept });
    const long = JSON.stringify('l'.repeat(80_000));
    expect(await submit(cluster, ann, 'b', ['1'], { shared: long })).toMatchObject({ ok: true });
    const reference = JSON.stringify({ $blob: createHash('sha256').update(long).digest('hex') });
    expect(await used(cluster, ann)).toMatchObject({
      stored_bytes: kept + source + 1 + reference.length + long.length,
    });
    // The same value again is the same blob.
    const before = (await used(cluster, ann)) as { stored_bytes: number };
    expect(await submit(cluster, ann, 'again', ['1'], { shared: long })).toMatchObject({
      ok: true,
    });
    const more = source + 1 + reference.length;
    expect(await used(cluster, ann)).toMatchObject({ stored_bytes: before.stored_bytes + more });
    const other = JSON.stringify('o'.repeat(80_000));
    expect(await submit(cluster, ann, 'c', ['1'], { shared: other })).toMatchObject({
      rejection: { exceeded: { quota: 'stored_bytes' } },
    });
  });

  test('has the blobs that workers put for its results, until they are collected', async () => {
    const cluster = await VirtualCluster.start();
    const ann = client('ann', { stored_bytes: 1_000_000 });
    await submit(cluster, ann, 'a', ['1']);
    const worker = await cluster.join('worker');
    const bytes = Buffer.from(JSON.stringify('y'.repeat(5_000)));
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const put = cluster.coordinator.for({
      role: 'worker',
      tokenId: 'of-worker',
      owner: 'worker',
      seesAll: false,
    });
    const upload = await cluster.answer(put.blobs.receive(sha256));
    await cluster.answer(upload.append(bytes));
    await cluster.answer(upload.finish());
    const reference = { $blob: sha256 };
    worker.complete('a.0', reference);
    await cluster.settle();
    const kept = source + 1 + JSON.stringify(reference).length;
    expect(await used(cluster, ann)).toMatchObject({ stored_bytes: kept + bytes.length });
    const { jobs } = cluster.coordinator.for(ann);
    await cluster.answer(jobs.delete('a'));
    expect(await used(cluster, ann)).toMatchObject({ stored_bytes: bytes.length });
    await cluster.advance(80 * minute);
    expect(await used(cluster, ann)).toMatchObject({ stored_bytes: 0 });
  });
});

test('what was refused keeps no blob, no input and no key', async () => {
  const cluster = await VirtualCluster.start();
  const ann = client('ann', { open_jobs: 0 });
  const before = cluster.durable();
  expect((await submit(cluster, ann, 'a')).ok).toBe(false);
  const { submissions } = cluster.coordinator.for(ann);
  const stream = submissions.stream(submission());
  await cluster.answer(stream.append(['1', '2']));
  const refused = await cluster.answer(stream.finish({ key: 'key', bodyHash: 'same' }));
  expect(refused).toMatchObject({ ok: false, rejection: { exceeded: { quota: 'open_jobs' } } });
  await cluster.advance(2 * minute);
  expect(cluster.durable()).toEqual(before);
  expect([cluster.disk.staged.size, cluster.disk.jobs.size]).toEqual([0, 0]);
  expect(cluster.disk.idempotencyKeys.size).toBe(0);
});

test('a minute is over when it is over, whatever the clock does', async () => {
  const cluster = await VirtualCluster.start();
  const ann = client('ann', { submissions_per_minute: 2 });
  const seconds = async (id: string) => {
    const result = await submit(cluster, ann, id);
    return result.ok ? 0 : result.rejection.exceeded!.retryAfterSeconds;
  };
  expect(await seconds('a')).toBe(0);
  await cluster.advance(20_000);
  expect(await seconds('b')).toBe(0);
  expect(await seconds('c')).toBe(40);
  await cluster.advance(39_000);
  expect(await seconds('c')).toBe(1);
  await cluster.advance(1_000);
  expect(await seconds('c')).toBe(0);
  expect(await seconds('d')).toBe(20);
});
