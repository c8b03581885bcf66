// What keeps a worker from taking a task, state by state.

import { describe, expect, test } from 'vitest';
import { VirtualCluster } from '../../../test/support/virtual-cluster.ts';

async function explained(cluster: VirtualCluster, job = 'j', index = 0) {
  const told = await cluster.answer(cluster.coordinator.taskReads.explainTask(job, index));
  if (typeof told === 'string') throw new Error(told);
  return told;
}

/** The reasons of each worker, by name or id. */
async function reasons(cluster: VirtualCluster): Promise<Record<string, string[]>> {
  const { waiting } = await explained(cluster);
  return Object.fromEntries(
    waiting!.workers.map((each) => [each.worker_id, each.reasons.map(({ text }) => text)]),
  );
}

describe('a task waits while a worker', () => {
  test('has lost its connection, and then while it is offline', async () => {
    const cluster = await VirtualCluster.start();
    const worker = await cluster.join('w');
    worker.drop();
    await cluster.submit('j', [1]);
    expect(await reasons(cluster)).toEqual({
      w: ['its connection closed a moment ago; it may come back'],
    });
    await cluster.advance(60_000);
    const { waiting } = await explained(cluster);
    expect(waiting).toMatchObject({
      code: 'no_eligible_worker',
      reason: 'The one worker, w, cannot take it: offline, last heard of 1 min ago.',
      workers: [{ eligible: false, reasons: [{ code: 'offline' }] }],
    });
  });

  test('drains', async () => {
    const cluster = await VirtualCluster.start();
    await cluster.join('w');
    await cluster.answer(cluster.coordinator.workers.drain('w'));
    await cluster.submit('j', [1]);
    expect(await reasons(cluster)).toEqual({
      w: ['draining: it finishes what it has and takes nothing new'],
    });
  });

  test('refuses it, also when other tasks come first', async () => {
    const cluster = await VirtualCluster.start();
    const phone = await cluster.join('phone');
    await cluster.submit('j', [1, 2, 3]);
    phone.say({ type: 'refusal', refusals: [{ ...phone.ref('j.0'), reason: 'battery at 7 %' }] });
    await cluster.settle();
    const { waiting } = await explained(cluster, 'j', 2);
    expect(waiting).toMatchObject({
      code: 'refused',
      reason:
        'The one worker that may run it, phone, refused it (battery at 7 %), is asked again in 1.0 s; 2 tasks come first.',
      tasks_ahead: 2,
    });
  });

  test('may not run it, because its job is held', async () => {
    const cluster = await VirtualCluster.start();
    await cluster.join('w');
    await cluster.submit('j', [1], { hold: true });
    await cluster.advance(60_000);
    const { waiting } = await explained(cluster);
    expect(waiting).toMatchObject({
      code: 'held',
      reason: 'Its job is held, for 1 min now: nothing of it starts before it is released.',
      tasks_ahead: null,
    });
  });

  test('does not run programs of its kind', async () => {
    const cluster = await VirtualCluster.start();
    await cluster.join('w', { kinds: ['python', 'wasm'] });
    await cluster.submit('j', [1]);
    expect(await reasons(cluster)).toEqual({ w: ['does not run javascript, only python, wasm'] });
  });

  test.each([
    ['leaving', 'about to leave'],
    ['asleep', 'asleep: it let an assignment lie, and has not asked since'],
  ] as const)('is %s', async (field, text) => {
    const cluster = await VirtualCluster.start();
    await cluster.join('w', { slots: 1 });
    await cluster.submit('busy', [1]);
    await cluster.submit('j', [1]);
    cluster.coordinator.state.workers.get('w')![field] = true;
    expect(await reasons(cluster)).toEqual({ w: [text, 'no free slot: 1 of 1 taken'] });
  });

  test.each([
    ['charging', 'resting: only while charging'],
    ['full_moon', 'resting: full moon'],
  ])('rests because of %s', async (because, text) => {
    const cluster = await VirtualCluster.start();
    const worker = await cluster.join('w');
    worker.beat({ rest: { because } });
    await cluster.submit('j', [1]);
    expect(await reasons(cluster)).toEqual({ w: [text] });
    expect((await explained(cluster)).waiting).toMatchObject({
      code: 'no_eligible_worker',
      reason: `The one worker, w, cannot take it: ${text}.`,
      reasons: [{ code: 'resting', text: 'resting', workers: 1 }],
    });
  });

  test('is quarantined, or on probe', async () => {
    const cluster = await VirtualCluster.start();
    await cluster.join('w', { slots: 2 });
    await cluster.submit('busy', [1]);
    const worker = cluster.coordinator.state.workers.get('w')!;
    worker.quarantine = { until: cluster.runtime.now() + 60_000, pauseMs: 60_000 };
    await cluster.submit('j', [1]);
    const onProbe = 'on probe after its quarantine: one task at a time';
    expect(await reasons(cluster)).toEqual({ w: [onProbe] });
    cluster.coordinator.state.deadlines.arm(worker.probe, worker.quarantine.until);
    const paused = 'quarantined for another 1 min: it failed what succeeded elsewhere';
    expect(await reasons(cluster)).toEqual({ w: [paused, onProbe] });
  });

  test('has more tasks than slots', async () => {
    const cluster = await VirtualCluster.start();
    await cluster.join('w', { slots: 1 });
    await cluster.submit('busy', [1]);
    await cluster.submit('j', [1]);
    cluster.coordinator.state.workers.get('w')!.activeTasks = 2;
    expect(await reasons(cluster)).toEqual({ w: ['no free slot: 2 tasks for 1 slot'] });
  });
});

test('those that are nearest to taking the task come first, and no more than 200 are told', async () => {
  const cluster = await VirtualCluster.start();
  await cluster.join('short-of-it', { type: 'phone' });
  for (let i = 0; i < 205; i++) await cluster.join(`full${i}`, { slots: 1 });
  await cluster.submit('before', { type: 'range', start: 0, count: 205 }, { requirements: pcOnly });
  await cluster.submit('j', [1], { requirements: pcOnly });
  const { waiting } = await explained(cluster);
  expect(waiting).toMatchObject({ code: 'workers_busy', worker_count: 206 });
  expect(waiting!.workers).toHaveLength(200);
  expect(waiting!.workers.some(({ worker_id }) => worker_id === 'short-of-it')).toBe(false);
  expect(waiting!.reasons).toEqual([
    { code: 'no_free_slot', text: 'without a free slot', workers: 205 },
    { code: 'requirement', text: 'short of a requirement', workers: 1 },
  ]);
});

const pcOnly = { type: ['pc'] };

test('a worker on which the task failed is passed over while another can take it', async () => {
  const cluster = await VirtualCluster.start();
  const first = await cluster.join('first');
  await cluster.submit('j', [1], { retryDelayMs: 60_000 });
  first.fail('j.0');
  await cluster.settle();
  expect((await explained(cluster)).waiting?.workers).toMatchObject([
    { eligible: true, reasons: [{ text: 'the task failed or was lost here before' }] },
  ]);
  await cluster.join('second');
  expect((await explained(cluster)).waiting?.workers).toMatchObject([
    { worker_id: 'second', eligible: true, reasons: [] },
    {
      worker_id: 'first',
      eligible: false,
      reasons: [{ text: 'the task failed or was lost here before: others come first' }],
    },
  ]);
});

test('what only other workers may run does not come first where a worker is wanted by nobody else', async () => {
  const cluster = await VirtualCluster.start();
  await cluster.join('phone', { type: 'phone', slots: 1 });
  await cluster.join('pc', { slots: 1 });
  await cluster.submit('before', { type: 'range', start: 0, count: 40 }, { requirements: pcOnly });
  await cluster.submit('j', [1, 2, 3]);
  // One runs on the phone, and the two that wait need not wait for the 39 that only the PC may run.
  expect((await explained(cluster, 'j', 2)).waiting).toMatchObject({
    code: 'queued_behind',
    tasks_ahead: 1,
  });
  expect((await explained(cluster, 'j', 1)).waiting).toMatchObject({
    code: 'workers_busy',
    tasks_ahead: 0,
  });
  await cluster.answer(cluster.coordinator.workers.drain('phone'));
  expect((await explained(cluster, 'j', 1)).waiting).toMatchObject({ tasks_ahead: 39 });
});
