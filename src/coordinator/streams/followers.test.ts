// A follower of a job sees every result exactly once, however slowly it reads, and the end.

import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { submission, VirtualCluster } from '../../../test/support/virtual-cluster.ts';
import type { ScriptedWorker } from '../../../test/support/scripted-worker.ts';
import type { Followers } from './followers.ts';
import type { ResultsAsked } from '../port/reads.ts';

interface Shown {
  readonly index: number;
  readonly status: string;
  readonly value?: unknown;
  readonly error?: { readonly type: string };
  readonly job?: { readonly status: string };
}

/** Reads on in the background, as fast as it can. */
class Reader {
  readonly shown: Shown[] = [];
  isDone = false;

  constructor(results: AsyncIterable<readonly string[]>) {
    void this.read(results);
  }

  get indices(): number[] {
    return this.shown.map(({ index }) => index);
  }

  private async read(results: AsyncIterable<readonly string[]>): Promise<void> {
    for await (const texts of results) {
      for (const text of texts) this.shown.push(JSON.parse(text) as Shown);
    }
    this.isDone = true;
  }
}

async function open(cluster: VirtualCluster, more: Partial<ResultsAsked> = {}) {
  const how = { follow: true, ...more };
  const results = await cluster.answer(cluster.coordinator.reads.findResults('j', how));
  if (results === undefined) throw new Error('no such job');
  return results;
}

async function stage(tasks: number, given = {}): Promise<[VirtualCluster, ScriptedWorker]> {
  const cluster = await VirtualCluster.start();
  const worker = await cluster.join('w', { slots: tasks });
  await cluster.submit(
    'j',
    Array.from({ length: tasks }, (_, i) => i),
    given,
  );
  return [cluster, worker];
}

describe('a follower', () => {
  test('gets what is stored, then what comes, in order of completion, then the end', async () => {
    const [cluster, worker] = await stage(4);
    worker.complete('j.2', 'two');
    await cluster.settle();
    const reader = new Reader(await open(cluster));
    await cluster.settle();
    expect(reader.shown).toMatchObject([{ index: 2, status: 'completed', value: 'two' }]);
    for (const task of ['j.3', 'j.0']) {
      worker.complete(task, task);
      await cluster.settle();
    }
    expect(reader.indices).toEqual([2, 3, 0]);
    worker.complete('j.1');
    await cluster.settle();
    expect(reader.indices).toEqual([2, 3, 0, 1]);
    expect(reader.isDone).toBe(true);
  });

  test('sees a failure, and what was cancelled with the job', async () => {
    const [cluster, worker] = await stage(3, { maxAttempts: 1 });
    const reader = new Reader(await open(cluster));
    worker.fail('j.1');
    await cluster.settle();
    void cluster.coordinator.jobs.cancel('j');
    await cluster.settle();
    expect(reader.shown).toMatchObject([
      { index: 1, status: 'failed', error: { type: 'Error' } },
      { index: 0, status: 'cancelled', error: { type: 'cancelled' } },
      { index: 2, status: 'cancelled' },
    ]);
    expect(reader.isDone).toBe(true);
  });

  test('of a job that is final gets everything and the end', async () => {
    const [cluster, worker] = await stage(3);
    worker.complete('j.1');
    await cluster.settle();
    void cluster.coordinator.jobs.cancel('j');
    await cluster.settle();
    const reader = new Reader(await open(cluster));
    await cluster.settle();
    expect(reader.shown.map(({ status }) => status)).toEqual([
      'cancelled',
      'completed',
      'cancelled',
    ]);
    expect(reader.isDone).toBe(true);
  });

  test('that reads slowly is dropped from memory, and still sees each result once', async () => {
    const [cluster, worker] = await stage(30);
    const results = (await open(cluster))[Symbol.asyncIterator]();
    // Together far more than what may wait for one reader.
    const large = 'x'.repeat(900_000);
    const seen: number[] = [];
    const take = async () => {
      const next = await cluster.answer(results.next());
      if (next.done !== true) for (const text of next.value) seen.push(JSON.parse(text).index);
      return next.done !== true;
    };
    for (let index = 0; index < 30; index++) {
      worker.complete(`j.${index}`, large);
      await cluster.settle();
      if (index === 3 || index === 20) await take();
    }
    while (await take());
    expect(seen.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 30 }, (_, i) => i));
  });

  test('looks for stored results no further than tasks had been given out when it came', async () => {
    const cluster = await VirtualCluster.start();
    const worker = await cluster.join('w', { slots: 2 });
    const indices = Array.from({ length: 40 }, (_, index) => index);
    await cluster.submit('j', indices);
    worker.complete('j.0');
    await cluster.settle();
    const listResults = cluster.gate.store.listResults.bind(cluster.gate.store);
    const ends = new Set<number>();
    cluster.gate.override({
      listResults: (job, from, most, bytes) => {
        ends.add(from + most);
        return listResults(job, from, most, bytes);
      },
    });
    const givenOut = worker.given.size;
    const reader = new Reader(await open(cluster));
    for (const index of indices.slice(1)) {
      await cluster.settle();
      worker.complete(`j.${index}`);
    }
    await cluster.settle();
    expect(reader.indices).toEqual(indices);
    expect(reader.isDone).toBe(true);
    expect(givenOut).toBeLessThan(40);
    expect([...ends]).toEqual([givenOut]);
  });

  test('with tasks of several priorities gets what is stored of each', async () => {
    const cluster = await VirtualCluster.start();
    const worker = await cluster.join('w', { slots: 1 });
    const taskPriorities = Int16Array.from([0, 5, 0, 9, 5]);
    await cluster.submit('j', [0, 1, 2, 3, 4], { taskPriorities });
    const done: number[] = [];
    for (let each = 0; each < 3; each++) {
      const newest = [...worker.given.keys()].at(-1)!;
      worker.complete(newest);
      done.push(Number(newest.slice('j.'.length)));
      await cluster.settle();
    }
    const reader = new Reader(await open(cluster));
    await cluster.settle();
    expect(reader.indices).toEqual(done.toSorted((one, other) => one - other));
  });

  test('that is aborted ends, and leaves nothing behind', async () => {
    const [cluster, worker] = await stage(20);
    const abort = new AbortController();
    const reader = new Reader(await open(cluster, { signal: abort.signal }));
    for (let index = 0; index < 15; index++) {
      worker.complete(`j.${index}`);
      await cluster.settle();
    }
    expect(getEventListeners(abort.signal, 'abort')).toHaveLength(1);
    abort.abort();
    await cluster.settle();
    expect(reader.isDone).toBe(true);
    expect(reader.indices).toHaveLength(15);
    expect(getEventListeners(abort.signal, 'abort')).toHaveLength(0);
  });

  test('that leaves before it has read anything was never there', async () => {
    const [cluster, worker] = await stage(2);
    const left = (await open(cluster))[Symbol.asyncIterator]();
    await left.return?.();
    await open(cluster);
    // The count of followers is private; only here it is needed, to see that none is kept.
    const { followers } = cluster.coordinator as unknown as { followers: Followers };
    expect(followers.isEmpty).toBe(true);
    const reader = new Reader(await open(cluster));
    await cluster.settle();
    expect(followers.isEmpty).toBe(false);
    worker.complete('j.0');
    worker.complete('j.1');
    await cluster.settle();
    expect(reader.isDone).toBe(true);
    expect(followers.isEmpty).toBe(true);
  });

  test('that begins to read when the job has ended gets everything and the end', async () => {
    const [cluster, worker] = await stage(2);
    const results = await open(cluster);
    worker.complete('j.1');
    await cluster.settle();
    void cluster.coordinator.jobs.cancel('j');
    await cluster.settle();
    const reader = new Reader(results);
    await cluster.settle();
    expect(reader.shown.map(({ status }) => status)).toEqual(['cancelled', 'completed']);
    expect(reader.isDone).toBe(true);
  });

  test('that begins to read when the job is no longer there gets the end', async () => {
    const [cluster] = await stage(2);
    const results = await open(cluster);
    void cluster.coordinator.clear();
    await cluster.settle();
    const reader = new Reader(results);
    await cluster.settle();
    expect(reader).toMatchObject({ isDone: true, shown: [] });
  });

  test('ends when the database is cleared', async () => {
    const [cluster] = await stage(2);
    const reader = new Reader(await open(cluster));
    await cluster.settle();
    void cluster.coordinator.clear();
    await cluster.settle();
    expect(reader).toMatchObject({ isDone: true, shown: [] });
  });

  test('may be one of many', async () => {
    const [cluster, worker] = await stage(2);
    const readers = [new Reader(await open(cluster)), new Reader(await open(cluster))];
    worker.complete('j.0');
    worker.complete('j.1');
    await cluster.settle();
    expect(readers.map(({ indices, isDone }) => [indices, isDone])).toEqual([
      [[0, 1], true],
      [[0, 1], true],
    ]);
  });

  test('that says what it has gets the rest, also after a crash', async () => {
    const cluster = await VirtualCluster.start();
    const worker = await cluster.join('w', { slots: 5 });
    await cluster.submit('j', [0, 1, 2, 3, 4]);
    for (const index of [0, 1, 3]) worker.complete(`j.${index}`);
    await cluster.settle();
    await cluster.crash();
    const have = [{ first: 0, last: 1 }];
    const reader = new Reader(await open(cluster, { have }));
    const page = new Reader(await open(cluster, { have, follow: false }));
    await cluster.settle();
    expect([reader.indices, page.indices]).toEqual([[3], [3]]);
    void cluster.coordinator.jobs.cancel('j');
    await cluster.settle();
    expect(reader.indices).toEqual([3, 2, 4]);
    expect(reader.isDone).toBe(true);
  });

  test('gets the result of a task that was retried, whatever it has', async () => {
    const [cluster, worker] = await stage(3, { maxAttempts: 1 });
    const have = [{ first: 0, last: 1 }];
    const reader = new Reader(await open(cluster, { have }));
    worker.complete('j.0');
    worker.fail('j.1');
    await cluster.settle();
    expect(reader.indices).toEqual([]);
    void cluster.coordinator.jobs.retry('j');
    await cluster.settle();
    worker.complete('j.1', 'at last');
    worker.complete('j.2');
    await cluster.settle();
    expect(reader.shown).toMatchObject([{ index: 1, value: 'at last' }, { index: 2 }]);
    expect(reader.isDone).toBe(true);
  });

  test('gets the late result that comes together with the retry of its task', async () => {
    const [cluster, worker] = await stage(1, { maxAttempts: 1, attemptTimeoutMs: 1000 });
    worker.start('j.0');
    const results = await open(cluster);
    const iterator = results[Symbol.asyncIterator]();
    for (let seconds = 0; seconds < 15; seconds += 5) {
      await cluster.advance(5000);
      worker.heartbeat();
    }
    const { value } = await cluster.answer(iterator.next());
    expect((value as string[]).map((text) => JSON.parse(text))).toMatchObject([
      { status: 'failed', error: { type: 'attempt_timeout' } },
    ]);
    void cluster.coordinator.jobs.retry('j');
    worker.complete('j.0', 'late');
    await cluster.settle();
    const reader = new Reader(results);
    await cluster.settle();
    expect(reader.shown).toMatchObject([{ index: 0, status: 'completed', value: 'late' }]);
    expect(reader.isDone).toBe(true);
  });

  test('gets what was cancelled before any attempt, and runs after all', async () => {
    const indices = Array.from({ length: 40 }, (_, index) => index);
    const cluster = await VirtualCluster.start();
    const worker = await cluster.join('w', { slots: 1 });
    await cluster.submit('j', indices, { maxAttempts: 1, onTaskFailure: 'fail_job' });
    const results = await open(cluster);
    const iterator = results[Symbol.asyncIterator]();
    worker.fail('j.0');
    await cluster.settle();
    const chunks = [await cluster.answer(iterator.next()), await cluster.answer(iterator.next())];
    const told = chunks.flatMap(({ value }) => value as string[]);
    expect(told.map((text) => (JSON.parse(text) as { status: string }).status)).toEqual(
      indices.map((index) => (index === 0 ? 'failed' : 'cancelled')),
    );
    void cluster.coordinator.jobs.retry('j');
    for (const index of indices) {
      await cluster.settle();
      worker.complete(`j.${index}`, 'at last');
    }
    const reader = new Reader(results);
    await cluster.settle();
    expect(reader.indices.toSorted((one, other) => one - other)).toEqual(indices);
    expect(reader.isDone).toBe(true);
  });

  test('of a job that has ended stays with it when it is retried meanwhile', async () => {
    const [cluster, worker] = await stage(2, { maxAttempts: 1 });
    worker.fail('j.0');
    worker.complete('j.1');
    await cluster.settle();
    const results = await open(cluster);
    void cluster.coordinator.jobs.retry('j');
    await cluster.settle();
    const reader = new Reader(results);
    await cluster.settle();
    worker.complete('j.0', 'at last');
    await cluster.settle();
    expect(reader.indices).toEqual([1, 0]);
    expect(reader.isDone).toBe(true);
  });

  test.each([
    [16, [0]],
    [17, []],
  ])('of a job of %i tasks has %j while others have their turns', async (tasks, indices) => {
    const [cluster, worker] = await stage(tasks);
    const reader = new Reader(await open(cluster, { pace: () => new Promise(() => {}) }));
    await cluster.settle();
    worker.complete('j.0');
    await cluster.settle();
    worker.complete('j.1');
    await cluster.settle();
    expect(reader.indices).toEqual(indices);
  });

  test('of no job is told so', async () => {
    const cluster = await VirtualCluster.start();
    const asked = cluster.coordinator.reads.findResults('j', { follow: true });
    expect(await cluster.answer(asked)).toBeUndefined();
  });
});

test.each([
  ['waits for a turn of its own for each chunk', {}, 2],
  ['waits for none where another one paces it', { pace: <T>(make: () => Promise<T>) => make() }, 0],
])('a read of results %s', async (_what, how: Partial<ResultsAsked>, turns) => {
  const [cluster, worker] = await stage(1);
  worker.complete('j.0', 'x');
  await cluster.settle();
  const results = await open(cluster, { ...how, follow: false });
  let deferred = 0;
  const { defer } = cluster.runtime;
  cluster.runtime.defer = (fn) => {
    deferred++;
    defer(fn);
  };
  const reader = new Reader(results);
  await cluster.settle();
  expect(reader.indices).toEqual([0]);
  expect(deferred).toBe(turns);
});

describe('a follower from the commit of its job on', () => {
  const at = (n: number) => ({ type: 'range', start: 0, count: n }) as const;

  async function submit(cluster: VirtualCluster, tasks: number, signal: AbortSignal, key?: string) {
    cluster.runtime.names.push('j');
    const idempotency = key === undefined ? undefined : { key, bodyHash: 'same' };
    const asked = cluster.coordinator.submissions.submitFollowed(
      submission({ maxAttempts: 1 }),
      at(tasks),
      { signal },
      idempotency,
    );
    const answer = await cluster.answer(asked);
    if (!answer.ok) throw new Error(answer.rejection.detail);
    return answer.value;
  }

  const { signal } = new AbortController();

  test('gets what was committed before its lines were asked for, with no read of results', async () => {
    const cluster = await VirtualCluster.start();
    const worker = await cluster.join('w', { slots: 2 });
    const reads: string[] = [];
    cluster.gate.override({
      listResults: async () => {
        reads.push('results');
        return [];
      },
      findJobHead: async () => {
        reads.push('head');
        return undefined;
      },
    });
    const { job, lines } = await submit(cluster, 2, signal);
    expect(job).toMatchObject({ id: 'j', task_count: 2, completed_at: null });
    worker.complete('j.1', 'b');
    worker.complete('j.0', 'a');
    await cluster.settle();
    const reader = new Reader(lines);
    await cluster.settle();
    expect(reader.shown.map(({ value }) => value)).toEqual(['b', 'a', undefined]);
    expect(reader.shown.at(-1)).toEqual({
      job: { ...job, status: 'completed', completed_at: expect.any(String) },
    });
    expect([reader.isDone, reads]).toEqual([true, []]);
  });

  test('of a job that is retried before its reader comes gets the last line once, at the end', async () => {
    const cluster = await VirtualCluster.start();
    const worker = await cluster.join('w');
    const { lines } = await submit(cluster, 1, signal);
    worker.fail('j.0');
    await cluster.settle();
    expect(await cluster.answer(cluster.coordinator.jobs.retry('j'))).toMatchObject({ ok: true });
    const reader = new Reader(lines);
    await cluster.settle();
    expect(reader.isDone).toBe(false);
    worker.complete('j.0', 'at last');
    await cluster.settle();
    expect(reader.shown.map(({ status, job }) => job?.status ?? status)).toEqual([
      'completed',
      'completed',
    ]);
    expect(reader.isDone).toBe(true);
  });

  test('is not ended by what was cleared in the same commit before the job came', async () => {
    const cluster = await VirtualCluster.start();
    cluster.gate.shut();
    const first = cluster.coordinator.submissions.submit(submission(), at(1));
    await cluster.settle();
    const cleared = cluster.coordinator.clear();
    const second = submit(cluster, 1, signal);
    cluster.gate.open();
    await Promise.all([first, cleared]);
    const { lines } = await second;
    const reader = new Reader(lines);
    await cluster.settle();
    expect(reader.isDone).toBe(false);
    await cluster.answer(cluster.coordinator.jobs.cancel('j'));
    expect(reader.shown.map(({ status, job }) => job?.status ?? status)).toEqual([
      'cancelled',
      'cancelled',
    ]);
  });

  test('of a job that was removed before its reader comes gets no last line', async () => {
    const cluster = await VirtualCluster.start();
    await submit(cluster, 1, signal, 'key');
    await cluster.answer(cluster.coordinator.jobs.cancel('j'));
    const { job, lines } = await submit(cluster, 1, signal, 'key');
    expect(job.status).toBe('cancelled');
    await cluster.answer(cluster.coordinator.jobs.delete('j'));
    const reader = new Reader(lines);
    await cluster.settle();
    expect([reader.shown, reader.isDone]).toEqual([[], true]);
  });

  test.each(['before', 'after'])(
    'is forgotten when its reader leaves %s the commit',
    async (when) => {
      const cluster = await VirtualCluster.start();
      const leave = new AbortController();
      if (when === 'before') leave.abort();
      await submit(cluster, 1, leave.signal);
      leave.abort();
      expect(cluster.coordinator.held.followed).toEqual([]);
    },
  );
});
