// Counters come each second to who asks for them by name, count what happened since the last, and nothing is made
// while nobody listens.

import { describe, expect, test } from 'vitest';
import { submission, VirtualCluster } from '../../../test/support/virtual-cluster.ts';
import type { Counters } from '../../protocol/counters.ts';
import type { EventFilter, StreamedEvent } from '../port/events.ts';
import type { Principal } from '../port/principal.ts';
import { mostOpenJobs } from './counters.ts';

const range = (count: number) => ({ type: 'range', start: 0, count }) as const;
const types = ['counters'];

function client(owner: string): Principal {
  return { role: 'client', tokenId: `${owner}00000`.slice(0, 8), owner, seesAll: false };
}

async function submitAs(cluster: VirtualCluster, who: Principal, name: string) {
  cluster.runtime.names.push(name);
  const { submissions } = cluster.coordinator.for(who);
  return cluster.answer(submissions.submit(submission(), range(2)));
}

/** What is told to a listener from now on. */
function listen(
  cluster: VirtualCluster,
  filter: EventFilter = { types },
  who?: Principal,
  lastEventId?: string,
) {
  const end = new AbortController();
  const seen: StreamedEvent[] = [];
  const { events } = who === undefined ? cluster.coordinator : cluster.coordinator.for(who);
  const follow = async () => {
    const how = { signal: end.signal, ...(lastEventId === undefined ? {} : { lastEventId }) };
    for await (const chunk of events.follow(filter, how)) seen.push(...chunk);
  };
  void follow();
  const counters = () =>
    seen.filter(({ type }) => type === 'counters').map(({ data }) => JSON.parse(data) as Counters);
  return {
    seen,
    counters,
    newest: () => counters().at(-1)!,
    leave: async () => {
      end.abort();
      await cluster.settle();
    },
  };
}

describe('counters', () => {
  test('come each second, without an id, and count what happened in between', async () => {
    const cluster = await VirtualCluster.start();
    const worker = await cluster.join('w', { slots: 3 });
    await cluster.join('idle', { slots: 5, type: 'android_node' });
    const only = { requirements: { type: ['pc'] }, maxAttempts: 1 };
    await cluster.submit('j', range(10), only);
    await cluster.submit('k', range(5), { hold: true });
    const listener = listen(cluster);
    await cluster.settle();
    expect(listener.seen).toEqual([]);
    worker.start('j.2');
    worker.complete('j.0');
    worker.fail('j.1');
    await cluster.advance(1_000);
    expect(listener.seen.map(({ id, type }) => [id, type])).toEqual([['', 'counters']]);
    const none = { pending: 0, assigned: 0, running: 0, completed: 0, failed: 0, cancelled: 0 };
    const { open_jobs: jobs, tasks, ...rest } = listener.newest();
    expect(rest).toEqual({
      type: 'counters',
      at: '1970-01-01T00:00:01.000Z',
      interval_seconds: 1,
      completed_since: 1,
      failed_since: 1,
      jobs: { open: 2, pending: 1, running: 1, completed: 0, failed: 0, cancelled: 0 },
      workers: { online: 1, busy: 1, offline: 0, waiting: 0, draining: 0, quarantined: 0 },
      slots: { total: 8, taken: 3 },
      open_jobs_left_out: 0,
    });
    expect(tasks.pending + tasks.assigned).toBe(12);
    expect(tasks).toMatchObject({ running: 1, completed: 1, failed: 1, cancelled: 0 });
    expect(jobs.map(({ job_id: id }) => id)).toEqual(['j', 'k']);
    expect(jobs[0]).toMatchObject({ progress: 0.2, rate_per_second: 1 });
    expect(jobs[1]).toMatchObject({ counts: { ...none, pending: 5 }, rate_per_second: null });
    expect(jobs[1]!.eta.reason).toContain('held');
    expect(jobs.some(({ eta }) => 'method' in eta)).toBe(false);
    await cluster.advance(1_000);
    expect(listener.newest()).toMatchObject({ completed_since: 0, failed_since: 0 });
    worker.complete('j.2');
    await cluster.advance(1_000);
    expect(listener.newest()).toMatchObject({ completed_since: 1, interval_seconds: 1 });
    await listener.leave();
  });

  test('are not told to who does not name them', async () => {
    const cluster = await VirtualCluster.start();
    await cluster.submit('j');
    const listeners = [
      listen(cluster, {}),
      listen(cluster, { jobId: 'j' }),
      listen(cluster, { types: ['job_finished'] }),
    ];
    await cluster.advance(5_000);
    expect(listeners.flatMap(({ seen }) => seen)).toEqual([]);
    for (const { leave } of listeners) await leave();
  });

  test('go beside other events, which keep their ids and their order', async () => {
    const cluster = await VirtualCluster.start();
    const listener = listen(cluster, { types: ['job_submitted', 'counters'] });
    await cluster.submit('a');
    await cluster.advance(1_000);
    await cluster.submit('b');
    expect(listener.seen.map(({ type }) => type)).toEqual([
      'job_submitted',
      'counters',
      'job_submitted',
    ]);
    const place = listener.seen[0]!.id;
    await listener.leave();
    const again = listen(cluster, { types: ['job_submitted', 'counters'] }, undefined, place);
    await cluster.advance(1_000);
    expect(again.seen.map(({ type }) => type)).toEqual(['job_submitted', 'counters']);
    expect(again.seen[0]!.data).toContain('"b"');
    await again.leave();
  });

  test('have one job where one is asked for, also behind the first two hundred', async () => {
    const cluster = await VirtualCluster.start();
    for (let i = 0; i <= mostOpenJobs; i++) await cluster.submit(`n${i}`, range(1));
    const all = listen(cluster);
    const last = listen(cluster, { types, jobId: `n${mostOpenJobs}` });
    await cluster.advance(1_000);
    expect(all.newest().open_jobs).toHaveLength(mostOpenJobs);
    expect(all.newest().open_jobs_left_out).toBe(1);
    expect(all.newest().open_jobs[0]!.job_id).toBe('n0');
    expect(last.newest()).toMatchObject({
      open_jobs_left_out: 0,
      open_jobs: [{ job_id: `n${mostOpenJobs}`, eta: { method: expect.any(String) } }],
      jobs: { open: mostOpenJobs + 1 },
    });
    expect(last.newest().open_jobs).toHaveLength(1);
    await cluster.answer(cluster.coordinator.jobs.cancel(`n${mostOpenJobs}`));
    await cluster.advance(1_000);
    expect(last.newest()).toMatchObject({ open_jobs: [], jobs: { cancelled: 1 } });
    await all.leave();
    await last.leave();
  });

  test('tell the oldest first, also of a job that was retried', async () => {
    const cluster = await VirtualCluster.start();
    const worker = await cluster.join('w', { slots: 9 });
    await cluster.submit('old', range(1), { maxAttempts: 1 });
    worker.fail('old.0');
    await cluster.settle();
    await cluster.submit('young', range(1));
    await cluster.answer(cluster.coordinator.jobs.retry('old'));
    const listener = listen(cluster);
    await cluster.advance(1_000);
    expect(listener.newest().open_jobs.map(({ job_id: id }) => id)).toEqual(['old', 'young']);
    await listener.leave();
  });

  test('tell an owner of its own jobs alone, and of all workers', async () => {
    const cluster = await VirtualCluster.start();
    const worker = await cluster.join('w', { slots: 9 });
    const [ann, bob] = [client('ann'), client('bob')];
    await submitAs(cluster, ann, 'of-ann');
    await submitAs(cluster, bob, 'of-bob');
    await cluster.submit('of-admin', range(2));
    const listeners = [
      listen(cluster),
      listen(cluster, { types }, ann),
      listen(cluster, { types, jobId: 'of-ann' }, bob),
      listen(cluster, { types }, client('admin')),
    ];
    await cluster.settle();
    worker.complete('of-ann.0');
    worker.complete('of-admin.0');
    worker.complete('of-admin.1');
    await cluster.advance(1_000);
    const told = listeners.map(({ newest }) => {
      const { completed_since: completed, open_jobs: jobs, tasks, slots } = newest();
      return [completed, jobs.map(({ job_id: id }) => id), tasks.assigned, slots.taken];
    });
    expect(told).toEqual([
      [3, ['of-ann', 'of-bob'], 3, 3],
      [1, ['of-ann'], 1, 3],
      [0, [], 2, 3],
      [2, [], 0, 3],
    ]);
    expect(listeners[1]!.seen[0]!.data).not.toContain('bob');
    expect(listeners.map(({ newest }) => newest().jobs.completed)).toEqual([1, 0, 0, 1]);
    for (const { leave } of listeners) await leave();
  });

  test('are told newest alone to who reads slowly', async () => {
    const cluster = await VirtualCluster.start();
    const end = new AbortController();
    const reader = cluster.coordinator.events.follow({ types }, { signal: end.signal });
    const first = reader.next();
    await cluster.advance(10_000);
    const { value } = await first;
    expect(JSON.parse(value![0]!.data)).toMatchObject({ at: '1970-01-01T00:00:01.000Z' });
    const { value: later } = await cluster.answer(reader.next());
    expect(later).toHaveLength(1);
    expect(JSON.parse(later![0]!.data)).toMatchObject({ at: '1970-01-01T00:00:10.000Z' });
    end.abort();
    await reader.return(undefined);
  });

  test('are not made while nobody listens, and begin anew with who comes then', async () => {
    const cluster = await VirtualCluster.start();
    const worker = await cluster.join('w', { slots: 9 });
    await cluster.submit('j', range(4));
    const first = listen(cluster);
    await cluster.advance(3_000);
    await first.leave();
    const { length } = first.seen;
    expect(length).toBe(3);
    worker.complete('j.0');
    await cluster.advance(10_000);
    expect(first.seen).toHaveLength(length);
    const second = listen(cluster);
    await cluster.advance(1_000);
    expect(second.newest()).toMatchObject({ completed_since: 0, interval_seconds: 1 });
    await second.leave();
  });

  test('end with the coordinator', async () => {
    const cluster = await VirtualCluster.start();
    const { signal } = new AbortController();
    const listening = Array.fromAsync(cluster.coordinator.events.follow({ types }, { signal }));
    await cluster.advance(2_000);
    await cluster.answer(cluster.coordinator.stop());
    await cluster.advance(5_000);
    expect((await cluster.answer(listening)).flat()).toHaveLength(2);
  });
});
