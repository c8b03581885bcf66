// A crash at any moment: what is loaded equals what was committed, without the volatile part, and
// the work goes on where it was.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { submission, VirtualCluster } from '../../../test/support/virtual-cluster.ts';
import type { ScriptedWorker } from '../../../test/support/scripted-worker.ts';

describe('what is loaded after a crash', () => {
  test('is what was committed', async () => {
    const cluster = await VirtualCluster.start({ algorithm: 'priority' });
    const one = await cluster.join('one', { slots: 3, labels: { gpu: 'yes' } });
    const two = await cluster.join('two', { slots: 2 });
    await cluster.submit('mixed', [0, 1, 2, 3, 4, 5, 6], {
      taskPriorities: Int16Array.of(0, 5, 0, 5, 0, 5, 0),
      retryDelayMs: 60_000,
    });
    await cluster.submit('range', { type: 'range', start: 7, count: 1000 }, { priority: -1 });
    await cluster.submit('over', [1], { priority: 9, maxAttempts: 1 });
    const [first, second] = [...one.given.keys()];
    one.start(first!);
    one.complete(second!, 'done', { run_ms: 3, energy_joules: 2 });
    two.fail([...two.given.keys()][0]!);
    await cluster.settle();
    two.drop();
    await cluster.advance(11_000);
    one.heartbeat();
    await cluster.answer(cluster.coordinator.workers.drain('two'));
    const before = cluster.durable();
    expect(before).toMatchObject({ config: { algorithm: 'priority' }, workers: [{}, {}] });
    await cluster.crash();
    expect(cluster.durable()).toEqual(before);
  });

  test('is an empty cluster at the first start', async () => {
    const cluster = await VirtualCluster.start();
    const before = cluster.durable();
    await cluster.crash();
    expect(cluster.durable()).toEqual(before);
    expect(await cluster.answer(cluster.coordinator.reads.stats())).toMatchObject({
      total_jobs: 0,
    });
  });

  test('knows every total', async () => {
    const cluster = await VirtualCluster.start();
    const worker = await cluster.join('w', { slots: 9 });
    await cluster.submit('done', [1, 2]);
    await cluster.submit('failed', [1], { maxAttempts: 1 });
    await cluster.submit('cancelled', [1, 2, 3]);
    await cluster.submit('open', [1, 2]);
    worker.complete('done.0');
    worker.complete('done.1');
    worker.fail('failed.0');
    worker.complete('open.0');
    await cluster.settle();
    await cluster.answer(cluster.coordinator.jobs.cancel('cancelled'));
    // Decisions are counted from the start of the coordinator on.
    const before = { ...cluster.coordinator.state.counters, decisionsBy: {} };
    await cluster.crash();
    expect({ ...cluster.coordinator.state.counters, decisions: 0 }).toEqual({
      ...before,
      decisions: 0,
    });
  });

  test('is nothing of a database that was cleared', async () => {
    const cluster = await VirtualCluster.start();
    await cluster.join('w');
    await cluster.submit('j');
    await cluster.answer(cluster.coordinator.clear());
    await cluster.crash();
    expect(cluster.coordinator.state).toMatchObject({ generation: 2 });
    expect(cluster.durable()).toMatchObject({ jobs: [], workers: [], counters: { jobs: 0 } });
  });

  test('waits for the rest of a pause before the next attempt', async () => {
    const cluster = await VirtualCluster.start();
    const worker = await cluster.join('w');
    await cluster.submit('j', [1], { retryDelayMs: 60_000 });
    worker.fail('j.0');
    await cluster.settle();
    await cluster.advance(10_000);
    await cluster.crash();
    worker.connect(cluster.coordinator);
    await cluster.advance(10_000);
    expect(worker.given.get('j.0')).toHaveLength(1);
    worker.heartbeat();
    await cluster.advance(10_000);
    expect(worker.given.get('j.0')?.map(({ attempt }) => attempt)).toEqual([1, 2]);
  });

  test('waits no longer because the clock was set back meanwhile', async () => {
    const dayMs = 86_400_000;
    const cluster = await VirtualCluster.start();
    cluster.runtime.setClock(dayMs);
    const worker = await cluster.join('w');
    await cluster.submit('j', [1], { retryDelayMs: 10_000 });
    worker.fail('j.0');
    await cluster.settle();
    cluster.runtime.setClock(-dayMs);
    await cluster.crash();
    worker.connect(cluster.coordinator);
    await cluster.advance(4900);
    expect(worker.given.get('j.0')).toHaveLength(1);
    await cluster.advance(200);
    expect(worker.given.get('j.0')).toHaveLength(2);
  });

  test('goes on after a pause that passed meanwhile', async () => {
    const cluster = await VirtualCluster.start();
    const worker = await cluster.join('w');
    await cluster.submit('j');
    worker.fail('j.0');
    await cluster.settle();
    cluster.runtime.kill();
    await cluster.advance(60_000);
    await cluster.crash();
    worker.connect(cluster.coordinator);
    await cluster.settle();
    expect(worker.given.get('j.0')).toHaveLength(2);
  });
});

describe('a worker that was at work when the coordinator died', () => {
  async function working(): Promise<[VirtualCluster, ScriptedWorker]> {
    const cluster = await VirtualCluster.start();
    const worker = await cluster.join('w', { slots: 3 });
    await cluster.submit('j', [0, 1, 2]);
    worker.start('j.0', 'j.1');
    await cluster.settle();
    await cluster.crash();
    cluster.takeLines();
    return [cluster, worker];
  }

  test('is adopted with what it names, and keeps its attempts', async () => {
    const [cluster, worker] = await working();
    const held = [worker.held('j.0'), worker.held('j.1', 'finished'), worker.held('j.2', 'queued')];
    worker.connect(cluster.coordinator, held);
    worker.complete('j.1');
    await cluster.settle();
    expect(cluster.takeLines()).toEqual([
      'worker w connected',
      'j.0 #1 started',
      'j.0 #1 named',
      'j.1 #1 started',
      'j.1 #1 named',
      'j.2 #1 named',
      'j.1 #1 completed',
    ]);
    expect(worker.takeOnly('welcome').at(-1)).toMatchObject({ worker_id: 'w', stop: [] });
  });

  test('releases what it does not name, uncharged', async () => {
    const [cluster, worker] = await working();
    worker.connect(cluster.coordinator, [worker.held('j.0')]);
    await cluster.settle();
    expect(cluster.takeLines()).toEqual(
      expect.arrayContaining(['j.1 #1 released (connection_lost)', 'j.1 #2 assigned to w']),
    );
    expect(cluster.coordinator.state.jobs.get('j')?.tasks.get(1)).toMatchObject({ losses: 0 });
  });

  test('is lost when it does not come back within a lease', async () => {
    const [cluster] = await working();
    await cluster.advance(14_999);
    expect(cluster.takeLines()).toEqual([]);
    await cluster.advance(1);
    expect(cluster.takeLines()).toContain('worker w lost');
    const [shown] = await cluster.answer(cluster.coordinator.reads.workers());
    expect(shown).toMatchObject({ status: 'offline', active_tasks: 0 });
  });

  test('is offline at once when it held nothing', async () => {
    const cluster = await VirtualCluster.start();
    await cluster.join('w');
    await cluster.crash();
    expect(await cluster.answer(cluster.coordinator.reads.workers())).toMatchObject([
      { status: 'offline' },
    ]);
  });
});

const act = fc.record({
  kind: fc.constantFrom(
    'submit',
    'complete',
    'complete',
    'fail',
    'start',
    'release',
    'drop',
    'back',
    'wait',
    'cancel',
    'retry',
    'crash',
    'drain',
  ),
  worker: fc.nat({ max: 1 }),
  task: fc.nat({ max: 5 }),
});

test('the law holds after a crash at any step', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 5, maxLength: 40, size: 'max' }), async (acts) => {
      const cluster = await VirtualCluster.start();
      const workers = [
        await cluster.join('one', { slots: 2 }),
        await cluster.join('two', { slots: 3 }),
      ];
      let jobs = 0;
      for (const { kind, worker: number, task } of acts) {
        const worker = workers[number]!;
        const held = [...worker.given.keys()].at(-1 - task);
        switch (kind) {
          case 'submit':
            await cluster.submit(`j${++jobs}`, [1, 2, 3, 4], {
              maxAttempts: 2,
              retryDelayMs: task * 1000,
              onTaskFailure: task === 0 ? 'fail_job' : 'continue',
            });
            break;
          case 'drop':
            worker.drop();
            break;
          case 'back':
            worker.connect(
              cluster.coordinator,
              held === undefined ? [] : [worker.held(held, task > 2 ? 'running' : 'finished')],
            );
            break;
          case 'wait':
            await cluster.advance(task * 3000);
            break;
          case 'cancel':
            void cluster.coordinator.jobs.cancel(`j${jobs}`);
            break;
          case 'retry':
            void cluster.coordinator.jobs.retry(`j${jobs - (task % 2)}`);
            break;
          case 'drain':
            void cluster.coordinator.workers[task > 2 ? 'drain' : 'resume'](worker.id!);
            break;
          case 'crash':
            break;
          default:
            if (held !== undefined) worker[kind](held);
        }
        await cluster.settle();
        if (cluster.coordinator.health === 'failed') throw await cluster.coordinator.failed;
        if (kind !== 'crash') continue;
        const before = cluster.durable();
        await cluster.crash();
        expect(cluster.durable()).toEqual(before);
      }
      const before = cluster.durable();
      await cluster.crash();
      expect(cluster.durable()).toEqual(before);
    }),
    { numRuns: 60 },
  );
});

test('a submission that was not answered is there as a whole or not at all', async () => {
  const cluster = await VirtualCluster.start();
  cluster.gate.shut();
  const asked = cluster.coordinator.submissions.submit(submission(), {
    type: 'list',
    inputs: ['1'],
  });
  asked.catch(() => undefined);
  await cluster.settle();
  await cluster.crash();
  expect(await cluster.answer(cluster.coordinator.reads.stats())).toMatchObject({ total_jobs: 0 });
});
