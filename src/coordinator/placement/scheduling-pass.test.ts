// Which worker gets which task in one pass: order of the queue, lanes that are passed over, slots before
// backlogs, and backlogs that are recalled.

import { describe, expect, test, vi } from 'vitest';
import { IndexHeap } from '../../core/index-heap.ts';
import { VirtualCluster } from '../../../test/support/virtual-cluster.ts';
import type { ScriptedWorker } from '../../../test/support/scripted-worker.ts';

/** What each worker was given, in order. */
function given(...workers: readonly ScriptedWorker[]): string[][] {
  return workers.map((worker) => [...worker.given.keys()]);
}

describe('the queue', () => {
  test('is served in order of submission, then of index', async () => {
    const cluster = await VirtualCluster.start();
    await cluster.submit('a', [1, 2], { priority: -5 });
    await cluster.submit('b', [1, 2], { priority: 5 });
    expect(given(await cluster.join('w', { slots: 3 }))).toEqual([['a.0', 'a.1', 'b.0']]);
  });

  test('is served by priority when the algorithm says so, and sorted anew when it changes', async () => {
    const cluster = await VirtualCluster.start({ algorithm: 'priority' });
    await cluster.submit('low', [1, 2]);
    await cluster.submit('mixed', [1, 2, 3], { taskPriorities: Int16Array.of(1, 9, 0) });
    await cluster.submit('high', [1], { priority: 5 });
    const worker = await cluster.join('w', { slots: 3 });
    expect(given(worker)).toEqual([['mixed.1', 'high.0', 'mixed.0']]);
    await cluster.answer(cluster.coordinator.scheduler.configure({ algorithm: 'fifo' }));
    worker.complete('high.0');
    await cluster.settle();
    expect(given(worker)[0]?.at(-1)).toBe('low.0');
  });

  test('passes over tasks that no worker may run, which block no others', async () => {
    const cluster = await VirtualCluster.start();
    await cluster.submit('gpu', [1, 2], { requirements: { labels: { gpu: 'yes' } } });
    await cluster.submit('phone', [1], { requirements: { type: ['phone'] } });
    await cluster.submit('any', [1, 2]);
    const plain = await cluster.join('plain', { slots: 2 });
    expect(given(plain)).toEqual([['any.0', 'any.1']]);
    const gpu = await cluster.join('gpu', { labels: { gpu: 'yes' } });
    expect(given(plain, gpu)).toEqual([['any.0', 'any.1'], ['gpu.0']]);
  });

  test('gives the first task to a worker that may run it, not to the first worker', async () => {
    const cluster = await VirtualCluster.start();
    const plain = await cluster.join('plain');
    const gpu = await cluster.join('gpu', { labels: { gpu: 'yes' } });
    await cluster.submit('any', [1]);
    await cluster.submit('gpu', [1], { requirements: { labels: { gpu: 'yes' } } });
    expect(given(plain, gpu)).toEqual([['any.0'], ['gpu.0']]);
  });

  test('is served on and on when it is longer than one pass', async () => {
    const cluster = await VirtualCluster.start();
    const worker = await cluster.join('w', { slots: 2500 });
    await cluster.submit('j', { type: 'range', start: 0, count: 2600 });
    expect(given(worker)[0]).toHaveLength(2500);
    // More than one frame, each with the next number.
    const sequences = worker.takeOnly('assign').map(({ sequence }) => sequence);
    expect(sequences.length).toBeGreaterThan(1);
    expect(sequences).toEqual(sequences.map((_, i) => i + 1));
  });
});

describe('a task that failed', () => {
  test('goes to a worker on which it has not failed, if there is one', async () => {
    const cluster = await VirtualCluster.start();
    const [one, two] = [await cluster.join('one'), await cluster.join('two')];
    await cluster.submit('j', [1], { retryDelayMs: 0 });
    one.fail('j.0');
    await cluster.settle();
    two.fail('j.0');
    await cluster.settle();
    expect(given(one, two)).toEqual([['j.0'], ['j.0']]);
    expect(one.given.get('j.0')?.map(({ attempt }) => attempt)).toEqual([1, 3]);
  });

  test('goes to a worker that has not refused it, so that one that refuses starves no task', async () => {
    const cluster = await VirtualCluster.start();
    const [one, two] = [await cluster.join('one'), await cluster.join('two')];
    await cluster.submit('j');
    one.say({ type: 'refusal', refusals: [{ ...one.ref('j.0'), reason: 'battery' }] });
    await cluster.advance(1000);
    expect(two.given.get('j.0')?.map(({ attempt }) => attempt)).toEqual([2]);
  });
});

describe('a worker that refuses all night', () => {
  const nightMs = 8 * 3_600_000;

  /** The phone refuses whatever it is given, until somebody else has a free slot. */
  async function night() {
    const cluster = await VirtualCluster.start({ settings: { leaseMs: 1e12, graceMs: 1e12 } });
    const phone = await cluster.join('phone');
    await cluster.submit('j', [1, 2, 3]);
    let offers = 0;
    const until = cluster.runtime.now() + nightMs;
    while (cluster.runtime.now() < until) {
      for (const { assignments } of phone.takeOnly('assign')) {
        for (const { task_id, attempt, token } of assignments) {
          offers++;
          const reason = `battery at ${100 - offers} %`;
          phone.say({ type: 'refusal', refusals: [{ task_id, attempt, token, reason }] });
        }
      }
      await cluster.advance(500);
    }
    return { cluster, phone, offers };
  }

  test('is asked hardly more often by hundreds of small jobs, and says why it gets nothing', async () => {
    const cluster = await VirtualCluster.start({ settings: { leaseMs: 1e12, graceMs: 1e12 } });
    const phone = await cluster.join('phone', { slots: 1 });
    for (let i = 0; i < 300; i++) await cluster.submit(`j${i}`, [1]);
    let offers = 0;
    for (const until = cluster.runtime.now() + nightMs; cluster.runtime.now() < until; ) {
      for (const { assignments } of phone.takeOnly('assign')) {
        for (const { task_id, attempt, token } of assignments) {
          offers++;
          const reason = 'battery at 7 %';
          phone.say({ type: 'refusal', refusals: [{ task_id, attempt, token, reason }] });
        }
      }
      await cluster.advance(500);
    }
    expect(offers).toBeGreaterThan(40);
    expect(offers).toBeLessThan(75);
    const told = await cluster.answer(cluster.coordinator.taskReads.explainTask('j299', 0));
    const text =
      'refuses tasks of one job after another (the last: battery at 7 %), is asked again in ';
    expect(told).toMatchObject({
      waiting: { workers: [{ reasons: [{ text: expect.stringContaining(text) }] }] },
    });
    const worker = await cluster.answer(cluster.coordinator.reads.findWorker('phone'));
    expect(worker?.refusing).toMatchObject({ offers: offers - 2, reason: 'battery at 7 %' });
    // Whoever comes gets them at once.
    const pc = await cluster.join('pc', { slots: 4 });
    expect(pc.given.size).toBe(4);
  });

  test('is asked some fifty times, and leaves one record with its last reason', async () => {
    const { cluster, offers } = await night();
    expect(offers).toBeGreaterThan(40);
    expect(offers).toBeLessThan(70);
    const task = await cluster.answer(cluster.coordinator.taskReads.findTask('j', 0));
    expect(task).toMatchObject({
      status: 'pending',
      attempt: offers,
      attempts: [
        {
          attempt: 1,
          count: offers,
          status: 'refused',
          error: { type: 'refused', message: `battery at ${100 - offers} %` },
        },
      ],
    });
    const told = await cluster.answer(cluster.coordinator.taskReads.explainTask('j', 0));
    expect(told).toMatchObject({ waiting: { code: 'refused' } });
    const failures = await cluster.answer(cluster.coordinator.reads.findFailures('phone'));
    expect(failures).toEqual([]);
  });

  test('keeps the tasks from nobody who comes, nor other jobs from itself', async () => {
    const { cluster, phone } = await night();
    await cluster.submit('other');
    expect(phone.given.get('other.0')).toMatchObject([{ attempt: 1 }]);
    const pc = await cluster.join('pc', { slots: 3 });
    expect(given(pc)).toEqual([['j.0', 'j.1', 'j.2']]);
  });
});

describe('a backlog', () => {
  /** `fast` has shown that tasks of the job take a tenth of a millisecond. */
  async function warm() {
    const cluster = await VirtualCluster.start();
    const fast = await cluster.join('fast');
    await cluster.submit(
      'j',
      { type: 'range', start: 0, count: 12 },
      { requirements: { type: ['pc'] } },
    );
    await cluster.advance(1);
    fast.complete('j.0', null, { run_ms: 0.1 });
    await cluster.advance(1);
    for (const task of ['j.1', 'j.2']) fast.complete(task, null, { run_ms: 0.1 });
    await cluster.advance(1);
    return { cluster, fast };
  }

  test('grows while reports come, behind a worker that is fast', async () => {
    const { fast } = await warm();
    expect(given(fast)[0]).toHaveLength(3 + 1 + 2);
  });

  /** `fast` has worked off a job of ten tasks that took a tenth of a millisecond each. */
  async function experienced() {
    const cluster = await VirtualCluster.start();
    const fast = await cluster.join('fast');
    await cluster.submit('first', { type: 'range', start: 0, count: 10 });
    while (
      (await cluster.answer(cluster.coordinator.reads.findJob('first')))?.status !== 'completed'
    ) {
      await cluster.advance(1);
      for (const task of fast.given.keys()) fast.complete(task, null, { run_ms: 0.1 });
      await cluster.settle();
    }
    return { cluster, fast };
  }

  const ofJob = (worker: ScriptedWorker, job: string) =>
    given(worker)[0]!.filter((task) => task.startsWith(job));

  test('of a program that a job before has measured begins with the submission', async () => {
    const { cluster, fast } = await experienced();
    await cluster.submit('next', { type: 'range', start: 0, count: 6 });
    expect(ofJob(fast, 'next')).toHaveLength(6);
  });

  test('of a program that nobody has measured does not', async () => {
    const { cluster, fast } = await experienced();
    const program = { kind: 'javascript', source: 'export default () => 2;' } as const;
    await cluster.submit('next', { type: 'range', start: 0, count: 6 }, { program });
    expect(ofJob(fast, 'next')).toHaveLength(1);
  });

  test('that was given for what a job before had measured is taken back from a slow worker', async () => {
    const { cluster, fast } = await experienced();
    await cluster.submit('next', { type: 'range', start: 0, count: 6 });
    const other = await cluster.join('other');
    fast.take();
    await cluster.advance(60);
    const recalled = fast.takeOnly('recall').flatMap(({ attempts }) => attempts);
    expect(recalled).toHaveLength(5);
    fast.release(...recalled.map(({ task_id }) => task_id));
    await cluster.settle();
    expect(ofJob(other, 'next')).toHaveLength(1);
  });

  test('grows only when no worker has a free slot', async () => {
    const { cluster, fast } = await warm();
    const other = await cluster.join('other', { slots: 2 });
    expect(given(other)).toEqual([['j.6', 'j.7']]);
    expect(given(fast)[0]).toHaveLength(6);
  });

  test('that does not move is recalled when another worker is idle, and goes there', async () => {
    const { cluster, fast } = await warm();
    const other = await cluster.join('other', { slots: 4 });
    fast.take();
    for (const task of given(other)[0]!) other.complete(task, null, { run_ms: 0.1 });
    await cluster.advance(60);
    const recalled = fast.takeOnly('recall').flatMap(({ attempts }) => attempts);
    expect(recalled.map(({ task_id }) => task_id)).toEqual(['j.4', 'j.5']);
    fast.release('j.4', 'j.5');
    await cluster.settle();
    expect(given(other)[0]?.slice(-2)).toEqual(['j.4', 'j.5']);
  });

  test('is not recalled when no idle worker may run it', async () => {
    const { cluster, fast } = await warm();
    await cluster.join('phone', { type: 'phone' });
    fast.take();
    for (let round = 0; round < 5; round++) await cluster.advance(60);
    expect(fast.takeOnly('recall')).toEqual([]);
  });
});

describe('an urgent task', () => {
  /** Both have a backlog of a long job, and nothing more of it fits. */
  async function busy(algorithm: 'priority' | 'fifo' = 'priority') {
    const cluster = await VirtualCluster.start({ algorithm, settings: { maxPrefetch: 2 } });
    const workers = [await cluster.join('one'), await cluster.join('two')] as const;
    await cluster.submit('long', { type: 'range', start: 0, count: 100 });
    for (let round = 0; round < 4; round++) {
      for (const worker of workers) {
        await cluster.advance(1);
        worker.complete([...worker.given.keys()].at(-1)!, null, { run_ms: 0.1 });
        await cluster.settle();
      }
    }
    for (const worker of workers) worker.take();
    return { cluster, workers };
  }

  test('goes to a worker at once, though nothing more of the backlogs fits', async () => {
    const { cluster, workers } = await busy();
    await cluster.submit('urgent', [1], { priority: 5 });
    const sent = workers.flatMap((worker) => worker.takeOnly('assign'));
    expect(sent.flatMap(({ assignments }) => assignments)).toMatchObject([
      { task_id: 'urgent.0', priority: 5 },
    ]);
  });

  test('counts in the backlog that it has passed, until it has ended', async () => {
    const { cluster, workers } = await busy();
    await cluster.submit('urgent', [1], { priority: 5 });
    const worker = workers.find((each) => each.given.has('urgent.0'))!;
    const tasks = [...worker.given.keys()].filter((task) => task !== 'urgent.0');
    worker.complete(tasks.at(-1)!, null, { run_ms: 0.1 });
    await cluster.settle();
    expect(worker.given.size).toBe(tasks.length + 1);
    worker.complete('urgent.0', null, { run_ms: 0.1 });
    await cluster.settle();
    expect(worker.given.size).toBe(tasks.length + 2);
  });

  test('waits where priorities do not count', async () => {
    const { cluster, workers } = await busy('fifo');
    await cluster.submit('urgent', [1], { priority: 5 });
    expect(workers.flatMap((worker) => worker.takeOnly('assign'))).toEqual([]);
  });
});

describe('a task that has failed on the only free worker', () => {
  async function failed() {
    const cluster = await VirtualCluster.start();
    const busy = await cluster.join('busy');
    const bad = await cluster.join('bad');
    await cluster.submit('long', [1]);
    busy.start('long.0');
    await cluster.submit('j', [0, 1, 2], { retryDelayMs: 0, maxAttempts: 2 });
    bad.fail('j.0');
    await cluster.settle();
    return { cluster, busy, bad };
  }

  test('waits for one that is busy, while the next tasks pass it by', async () => {
    const { cluster, busy, bad } = await failed();
    expect(bad.given.get('j.0')).toHaveLength(1);
    expect(bad.given.get('j.1')).toHaveLength(1);
    busy.complete('long.0');
    await cluster.settle();
    expect(busy.given.get('j.0')).toMatchObject([{ attempt: 2 }]);
  });

  test('costs a pass no look at all the others that wait like it', async () => {
    const cluster = await VirtualCluster.start();
    const busy = await cluster.join('busy');
    const bad = await cluster.join('bad');
    await cluster.submit('long', [1]);
    busy.start('long.0');
    const inputs = Array.from({ length: 40 }, (_, index) => index);
    await cluster.submit('j', inputs, { retryDelayMs: 0 });
    /** How often the waiting tasks of the job were gone through while it failed the next one. */
    const looks: number[] = [];
    for (const index of inputs.slice(0, 35)) {
      const walks = vi.spyOn(IndexHeap.prototype, 'values');
      bad.fail(`j.${index}`);
      await cluster.settle();
      looks.push(walks.mock.calls.length);
      walks.mockRestore();
    }
    expect(cluster.coordinator.state.jobs.get('j')?.entries[0]?.due.size).toBe(35);
    expect(looks.at(-1)).toBe(looks[5]);
  });

  test('goes back to it when the others stay busy for half a minute', async () => {
    const { cluster, busy, bad } = await failed();
    bad.complete('j.1');
    await cluster.settle();
    bad.complete('j.2');
    await cluster.settle();
    for (let second = 0; second < 29; second++) {
      busy.heartbeat('long.0');
      bad.heartbeat();
      await cluster.advance(1000);
    }
    expect(bad.given.get('j.0')).toHaveLength(1);
    await cluster.advance(1000);
    expect(bad.given.get('j.0')).toMatchObject([{ attempt: 1 }, { attempt: 2 }]);
  });

  test('goes back to it at once when no other worker may run it', async () => {
    const cluster = await VirtualCluster.start();
    const alone = await cluster.join('alone');
    await cluster.submit('j', [0], { retryDelayMs: 0 });
    alone.fail('j.0');
    await cluster.settle();
    expect(alone.given.get('j.0')).toHaveLength(2);
  });
});
