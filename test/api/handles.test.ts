// Jobs and workers by what a person says instead of an id, over the interface. Every answer is held against
// the published document by `call`.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HandWorker } from './support/hand-worker.ts';
import { type LiveServer, type Loose, startLiveServer } from './support/live-server.ts';

let live: LiveServer;
let jobs: string[];
let workers: string[];
beforeAll(async () => {
  live = await startLiveServer();
  jobs = [];
  for (const name of ['pi', 'pi', 'other']) jobs.push(await live.submit([1], { name }));
  workers = [];
  for (const name of ['vm-1', 'vm-2', 'vm-2']) {
    workers.push((await HandWorker.register(live, { name })).id);
  }
});
afterAll(() => live.close());

async function meant(what: 'jobs' | 'workers', handle: string, rest = ''): Promise<Loose> {
  const query = `handle=${encodeURIComponent(handle)}${rest}`;
  const { status, body } = await live.call('GET', `/api/${what}?${query}`);
  return status === 200 ? body.map(({ id }: Loose) => id) : [status, body.detail];
}

describe('a handle', () => {
  test('is an id, its end, its beginning or a name', async () => {
    expect(await meant('jobs', jobs[1]!)).toEqual([jobs[1]]);
    expect(await meant('jobs', jobs[1]!.slice(-8))).toEqual([jobs[1]]);
    expect(await meant('jobs', jobs[1]!.slice(-8).toUpperCase())).toEqual([jobs[1]]);
    // The beginnings of ids that were made at the same time are alike.
    expect(await meant('jobs', jobs[0]!.slice(0, 4))).toEqual(jobs.toReversed());
    expect(await meant('jobs', 'pi')).toEqual([jobs[1], jobs[0]]);
    expect(await meant('jobs', 'pi', '&limit=1')).toEqual([jobs[1]]);
    expect(await meant('workers', 'vm-2')).toEqual([workers[1], workers[2]]);
    expect(await meant('workers', workers[0]!.slice(-6))).toEqual([workers[0]]);
    expect(await meant('workers', workers[0]!)).toEqual([workers[0]]);
  });

  test('that nobody has, or that is too short for a part of an id, finds nothing', async () => {
    for (const what of ['jobs', 'workers'] as const) {
      expect(await meant(what, 'nobody')).toEqual([]);
      expect(await meant(what, jobs[0]!.slice(0, 3))).toEqual([]);
      expect(await meant(what, '%')).toEqual([]);
    }
  });

  test('stands alone', async () => {
    expect(await meant('jobs', 'pi', '&status=pending')).toEqual([
      422,
      'handle goes with `limit` only; "pi" was given.',
    ]);
    expect((await meant('jobs', ''))[0]).toBe(422);
    expect((await meant('workers', ''))[0]).toBe(422);
    expect((await meant('workers', 'a', '&handle=b'))[0]).toBe(422);
  });
});

test('an id that nobody has is told in the same words, whatever was asked for', async () => {
  const details = async (path: string, calls: readonly (readonly [string, string])[]) => {
    const said = calls.map(([method, rest]) => live.call(method, `${path}${rest}`));
    return [...new Set((await Promise.all(said)).map(({ body }) => body.detail))];
  };
  expect(
    await details('/api/jobs/x%22y', [
      ['GET', ''],
      ['DELETE', ''],
      ['POST', '/cancel'],
      ['POST', '/retry'],
      ['GET', '/tasks/0'],
    ]),
  ).toEqual([String.raw`No job has the id "x\"y".`]);
  expect(
    await details(`/api/workers/${'long'.repeat(30)}`, [
      ['DELETE', ''],
      ['POST', '/drain'],
      ['POST', '/resume'],
      ['GET', '/failures'],
    ]),
  ).toEqual([`No worker has the id "${'long'.repeat(30).slice(0, 75)}…".`]);
});
