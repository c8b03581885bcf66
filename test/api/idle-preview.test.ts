// Where the next tasks would go if nothing ran: `assume` of a preview, and the order in its answer.

import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { algorithmNames } from '../../src/protocol/schemas/scheduler.ts';
import { HandWorker } from './support/hand-worker.ts';
import { type LiveServer, type Loose, startLiveServer } from './support/live-server.ts';

let live: LiveServer;
beforeAll(async () => {
  live = await startLiveServer();
});
afterAll(() => live.close());
beforeEach(async () => {
  await live.call('DELETE', '/api/database/clear');
});

const preview = async (json: object): Promise<Loose> =>
  (await live.call('POST', '/api/scheduler/preview', { json })).body;

/** Two workers with three slots each. */
async function free(): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const cpu_load_percent of [10, 80]) {
    const telemetry = { cpu_load_percent, ram_available_mb: 4_000 };
    ids.push((await HandWorker.register(live, { slots: 3, telemetry })).id);
  }
  return ids;
}

/** All of their slots are taken. */
async function full(): Promise<readonly string[]> {
  const ids = await free();
  await live.submit([1, 2, 3, 4, 5, 6]);
  return ids;
}

test.each(algorithmNames)('under %s every slot is free when idle is assumed', async (algorithm) => {
  const ids = await full();
  expect(await preview({ algorithm, tasks: 8 })).toMatchObject({
    selected: null,
    order: [],
    placements: [],
    unplaced: 8,
  });
  expect(await preview({ algorithm, tasks: 8, assume: 'now' })).toMatchObject({ order: [] });
  const idle = await preview({ algorithm, tasks: 8, assume: 'idle' });
  expect(idle.unplaced).toBe(2);
  expect(idle.order).toHaveLength(6);
  expect(idle.order[0]).toBe(idle.selected);
  const counts = ids.map((id) => idle.order.filter((each: string) => each === id).length);
  expect(counts).toEqual([3, 3]);
  expect(idle.placements).toEqual(ids.map((worker_id) => ({ worker_id, tasks: 3 })));
  expect(idle.workers.flatMap(({ reasons }: Loose) => reasons)).toEqual([]);
});

test.each(algorithmNames)('under %s it ranks as when nothing was assigned', async (algorithm) => {
  const inForce = algorithm === 'fifo' ? 'edas' : 'fifo';
  await live.call('POST', `/api/scheduler/activate/${inForce}`);
  await free();
  const before = await preview({ algorithm, tasks: 4 });
  expect(before.order).toHaveLength(4);
  await live.submit([1, 2, 3]);
  expect((await preview({ algorithm, tasks: 4 })).order).not.toHaveLength(4);
  expect(await preview({ algorithm, tasks: 4, assume: 'idle' })).toEqual(before);
});

test('the order is how the tasks follow each other', async () => {
  const [first, second] = await full();
  const { order } = await preview({ algorithm: 'round_robin', tasks: 4, assume: 'idle' });
  expect(new Set(order.slice(0, 2))).toEqual(new Set([first, second]));
  expect(order.slice(2)).toEqual(order.slice(0, 2));
});

test('without tasks there is no order', async () => {
  await full();
  const idle = await preview({ assume: 'idle' });
  expect(idle).not.toHaveProperty('order');
  expect(idle.selected).not.toBeNull();
});

test('who drains, or is asked for something else, is given nothing when idle either', async () => {
  const [first, second] = await full();
  await live.call('POST', `/api/workers/${first}/drain`);
  expect(new Set((await preview({ tasks: 9, assume: 'idle' })).order)).toEqual(new Set([second]));
  const requirements = { platform: ['nowhere'] };
  expect((await preview({ tasks: 9, assume: 'idle', requirements })).order).toEqual([]);
});

test('it changes nothing of what is there', async () => {
  await full();
  const before = (await live.call('GET', '/api/workers')).body;
  await preview({ tasks: 9, assume: 'idle' });
  expect((await live.call('GET', '/api/workers')).body).toEqual(before);
});

test('anything else to assume is refused in a sentence', async () => {
  const json = { assume: 'busy' };
  const { status, body } = await live.call('POST', '/api/scheduler/preview', { json });
  expect([status, body.detail]).toEqual([422, expect.stringContaining('one of now, idle')]);
});
