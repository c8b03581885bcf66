// What workers have measured in the last minutes, over the interface. The points themselves are tested beside the
// ring: here no test waits until one is over.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { connect } from '../../src/client/index.ts';
import { HandWorker } from './support/hand-worker.ts';
import { type LiveServer, type Loose, startLiveServer } from './support/live-server.ts';

let live: LiveServer;
beforeAll(async () => {
  live = await startLiveServer();
  await HandWorker.register(live, { name: 'desk' });
  await HandWorker.register(live, { name: 'phone' });
});
afterAll(() => live.close());

async function series(query: string): Promise<Loose> {
  const { status, body } = await live.call('GET', `/api/workers${query}`);
  return status === 200 ? body.map((worker: Loose) => worker.series) : [status, body.detail];
}

test('each worker has the lines that are asked for, of so many points', async () => {
  const told = await series('?series=cpu,battery&points=3');
  expect(told).toHaveLength(2);
  for (const each of told) {
    expect(each).toEqual({
      until: expect.stringMatching(/:\d[05]\.000Z$/),
      seconds_per_point: 5,
      cpu: [null, null, null],
      battery: [null, null, null],
    });
  }
});

test('five minutes when nobody says how many', async () => {
  for (const { ram } of await series('?series=ram')) expect(ram).toHaveLength(60);
});

test('goes with a handle', async () => {
  const [one, ...rest] = await series('?series=ram&points=1&handle=desk');
  expect([one.ram, rest]).toEqual([[null], []]);
});

test('without the question there is none', async () => {
  expect(await series('')).toEqual([undefined, undefined]);
});

test('what cannot be answered is refused in a sentence', async () => {
  const names = 'must be a list of series, divided by commas, of cpu, ram, battery';
  for (const wrong of ['', 'gpu', 'cpu,', 'cpu,gpu']) {
    expect(await series(`?series=${wrong}`)).toEqual([422, expect.stringContaining(names)]);
  }
  expect((await series('?series=cpu&series=ram'))[0]).toBe(422);
  for (const wrong of ['0', '61', 'x', '1.5']) {
    const rule = 'must be an integer from 1 to 60';
    expect(await series(`?series=cpu&points=${wrong}`)).toEqual([
      422,
      expect.stringContaining(rule),
    ]);
  }
  expect(await series('?points=5')).toEqual([
    422,
    expect.stringContaining('points goes with `series` only'),
  ]);
});

test('the SDK asks for it', async () => {
  const workers = await connect(live.url).workers({ series: ['cpu', 'ram'], points: 2 });
  expect(workers.map(({ series: told }) => [told!.cpu, told!.ram, told!.battery])).toEqual([
    [[null, null], [null, null], undefined],
    [[null, null], [null, null], undefined],
  ]);
});
