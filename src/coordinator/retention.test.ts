// Jobs that were kept for long enough leave the store with all that is theirs, a few at a time.

import { describe, expect, test } from 'vitest';
import { VirtualCluster } from '../../test/support/virtual-cluster.ts';

const minute = 60_000;

/** Jobs that were cancelled as soon as they were there: they have ended. */
async function endJobs(cluster: VirtualCluster, names: readonly string[], retainMs?: number) {
  for (const name of names) {
    await cluster.submit(name, [1, 2], retainMs === undefined ? {} : { retainMs });
    await cluster.answer(cluster.coordinator.jobs.cancel(name));
  }
}

const visibleIds = ({ disk }: VirtualCluster) =>
  [...disk.jobs.values()].map(({ row }) => row.spec.id).toSorted();

const numbered = (count: number) => Array.from({ length: count }, (_, i) => `j${i + 100}`);

describe('a job whose time is over', () => {
  test('is removed from the store, and the others stay', async () => {
    const cluster = await VirtualCluster.start({ settings: { keepMs: 10 * minute } });
    await endJobs(cluster, ['old']);
    await cluster.advance(5 * minute);
    await endJobs(cluster, ['young']);
    await endJobs(cluster, ['own'], 20 * minute);
    await cluster.submit('open');
    await cluster.advance(5 * minute + 1000);
    expect(visibleIds(cluster)).toEqual(['open', 'own', 'young']);
    await cluster.advance(5 * minute);
    expect(visibleIds(cluster)).toEqual(['open', 'own']);
    await cluster.advance(60 * minute);
    expect(visibleIds(cluster)).toEqual(['open']);
    expect(await cluster.answer(cluster.coordinator.reads.stats())).toMatchObject({
      total_jobs: 1,
    });
  });

  test('is removed after a restart, too, under the settings that are in force then', async () => {
    const settings: { keepMs: number | null } = { keepMs: null };
    const cluster = await VirtualCluster.start({ settings });
    await endJobs(cluster, numbered(120));
    await cluster.advance(90 * minute);
    expect(visibleIds(cluster)).toHaveLength(120);
    settings.keepMs = 60 * minute;
    await cluster.crash();
    await cluster.advance(1000);
    expect(visibleIds(cluster)).toEqual([]);
  });

  test('is removed when the coordinator dies between two looks', async () => {
    const cluster = await VirtualCluster.start({ settings: { keepMs: minute } });
    await endJobs(cluster, numbered(120));
    await cluster.advance(minute + 10);
    expect(cluster.coordinator.state.counters.jobs).toBe(70);
    await cluster.crash();
    await cluster.advance(1000);
    expect(visibleIds(cluster)).toEqual([]);
  });

  test('is looked for again when the disk refused the look', async () => {
    const errors: string[] = [];
    const onError = ({ message }: Error) => void errors.push(message);
    const cluster = await VirtualCluster.start({ settings: { keepMs: minute }, onError });
    await endJobs(cluster, ['j']);
    const readVisitors = cluster.gate.store.readVisitors.bind(cluster.gate.store);
    cluster.gate.override({ readVisitors: () => Promise.reject(new Error('a damaged page')) });
    await cluster.advance(minute);
    expect(errors).toEqual(['a damaged page']);
    cluster.gate.override({ readVisitors });
    await cluster.advance(minute + 1000);
    expect(visibleIds(cluster)).toEqual([]);
  });
});

test('a start long after the last commit removes no job for its age within a day', async () => {
  const settings = { keepMs: 7 * 24 * 60 * minute, clockJumpMs: 24 * 60 * minute };
  const cluster = await VirtualCluster.start({ settings });
  await endJobs(cluster, ['a']);
  await cluster.crash(30 * 24 * 60 * minute);
  await cluster.advance(23 * 60 * minute);
  expect(visibleIds(cluster)).toEqual(['a']);
  await cluster.advance(61 * minute);
  expect(visibleIds(cluster)).toEqual([]);
});

test('of more jobs than are kept, those that ended first are removed', async () => {
  const cluster = await VirtualCluster.start({ settings: { keepJobs: 2 } });
  await endJobs(cluster, ['a', 'b', 'c'], 1000 * minute);
  await endJobs(cluster, ['d']);
  await cluster.advance(1000);
  expect(visibleIds(cluster)).toEqual(['c', 'd']);
});

test('a job tells when it will be removed', async () => {
  const cluster = await VirtualCluster.start({ settings: { keepMs: 10 * minute } });
  await cluster.submit('open');
  await endJobs(cluster, ['usual']);
  await endJobs(cluster, ['own'], 20 * minute);
  const expiryOf = async (id: string) =>
    (await cluster.answer(cluster.coordinator.reads.findJob(id)))?.expires_at;
  expect(await expiryOf('open')).toBeNull();
  expect(await expiryOf('usual')).toBe('1970-01-01T00:10:00.000Z');
  expect(await expiryOf('own')).toBe('1970-01-01T00:20:00.000Z');
});

test('what has happened is known after a restart, when its jobs have gone', async () => {
  const cluster = await VirtualCluster.start({ settings: { keepMs: minute } });
  await endJobs(cluster, ['a', 'b']);
  await cluster.advance(2 * minute);
  await cluster.crash();
  expect(visibleIds(cluster)).toEqual([]);
  expect(cluster.coordinator.state.totals).toMatchObject({
    jobsCancelled: 2,
    jobsRemoved: { expired: 2 },
  });
});

test('a worker that was away leaves its row when no job tells of it any more', async () => {
  const settings = { keepMs: 60 * minute, keepAwayMs: 10 * minute };
  const cluster = await VirtualCluster.start({ settings });
  const worker = await cluster.join('w');
  await cluster.submit('j', [1]);
  worker.complete('j.0');
  await cluster.settle();
  worker.drop();
  await cluster.advance(30 * minute);
  expect(cluster.disk.workers.get('w')?.deregisteredAt).not.toBeNull();
  const { evaluation } = cluster.coordinator;
  const named = async () =>
    (await cluster.answer(evaluation.workerPerformance({})))?.map((each) => each.worker_id);
  expect(await named()).toEqual(['w']);
  await cluster.advance(60 * minute);
  expect(cluster.disk.workers.has('w')).toBe(false);
  expect(await named()).toEqual([]);
});
