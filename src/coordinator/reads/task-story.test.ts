// What `explain` tells of a task that was lost, resumed, copied or adopted.

import { expect, test } from 'vitest';
import { VirtualCluster } from '../../../test/support/virtual-cluster.ts';

async function story(cluster: VirtualCluster): Promise<string[]> {
  const told = await cluster.answer(cluster.coordinator.taskReads.explainTask('j', 0));
  if (typeof told === 'string') throw new Error(told);
  return told.story.map(({ text }) => text);
}

test('tells from where an attempt goes on, and that it went on without the coordinator', async () => {
  const cluster = await VirtualCluster.start();
  const lost = await cluster.join('lost');
  await cluster.submit('j', [1]);
  lost.start('j.0');
  for (let sequence = 1; sequence <= 5; sequence++) {
    await cluster.advance(1000);
    lost.checkpoint('j.0', sequence, sequence / 10);
  }
  await cluster.settle();
  lost.drop();
  await cluster.advance(10_000);
  const next = await cluster.join('next');
  next.start('j.0');
  await cluster.settle();
  await cluster.crash();
  await cluster.advance(2000);
  next.connect(cluster.coordinator, [{ ...next.held('j.0'), run_ms: 2000 }]);
  await cluster.settle();
  expect(await story(cluster)).toEqual([
    'submitted',
    'attempt 1 given to lost (lost)',
    'saved its state 5 times until here, last at 50 %',
    'lost with its worker after 15 s (connection lost)',
    'attempt 2 given to next (next), to go on from its checkpoint at 50 %: 5.0 s of work saved',
    'begun',
    'the coordinator was restarted; attempt 2 had gone on (nothing was heard of it for 2.0 s)',
  ]);
});

test('tells that a task without a checkpoint begins anew', async () => {
  const cluster = await VirtualCluster.start();
  const lost = await cluster.join('lost');
  await cluster.submit('j', [1]);
  lost.start('j.0');
  await cluster.settle();
  lost.drop();
  await cluster.advance(10_000);
  await cluster.join('next');
  expect((await story(cluster)).at(-1)).toBe('attempt 2 given to next (next), to begin anew');
});

test('tells of every attempt that was not taken: refused, given back, not fetched, recalled', async () => {
  const cluster = await VirtualCluster.start({ settings: { leaseMs: 60_000 } });
  const phone = await cluster.join('phone');
  await cluster.submit('j', [1]);
  for (const percent of [9, 8, 7]) {
    const reason = `battery at ${percent} %`;
    phone.say({ type: 'refusal', refusals: [{ ...phone.ref('j.0'), reason }] });
    await cluster.advance(4000);
  }
  phone.say({ type: 'bye', reason: 'switched off' });
  await cluster.settle();
  const next = await cluster.join('next');
  next.start('j.0');
  await cluster.advance(2000);
  next.say({ type: 'bye', reason: 'switched off' });
  await cluster.settle();
  expect(await story(cluster)).toEqual([
    'submitted',
    'attempt 1 given to phone (phone)',
    'refused 3 times until here; last: battery at 7 %',
    'attempt 4 given to phone (phone)',
    'given back by the worker after 0 ms (worker left)',
    'attempt 5 given to next (next)',
    'given back with nothing saved after 2.0 s, because next left',
  ]);
});

test('tells that a task was handed over, why, and from where it goes on', async () => {
  const cluster = await VirtualCluster.start();
  const drained = await cluster.join('vm-1');
  await cluster.submit('j', [1]);
  drained.start('j.0');
  await cluster.settle();
  await cluster.answer(cluster.coordinator.workers.drain('vm-1'));
  await cluster.advance(2000);
  drained.checkpoint('j.0', 1, 0.37);
  await cluster.settle();
  await cluster.join('next');
  expect(await story(cluster)).toEqual([
    'submitted',
    'attempt 1 given to vm-1 (vm-1)',
    'saved its state at 37 %',
    'handed over at its checkpoint (37 %) after 2.0 s, because vm-1 drains',
    'attempt 2 given to next (next), to go on from its checkpoint at 37 %: 2.0 s of work saved',
  ]);
});

test('a lost attempt says for how long nothing was heard of its worker', async () => {
  const cluster = await VirtualCluster.start();
  const silent = await cluster.join('silent');
  await cluster.submit('j', [1]);
  silent.start('j.0');
  await cluster.settle();
  await cluster.advance(60_000);
  const task = await cluster.answer(cluster.coordinator.taskReads.findTask('j', 0));
  expect(task).toMatchObject({
    attempts: [
      {
        status: 'lost',
        error: {
          type: 'worker_lost',
          message: expect.stringMatching(
            /^The attempt on worker silent was lost: nothing was heard of the worker for \d+ s\.$/,
          ),
        },
      },
    ],
  });
});
