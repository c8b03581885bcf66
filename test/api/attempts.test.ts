// Who did what when: the attempts of all jobs, from outside. Every answer is held against the published document
// by `call`.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HandWorker } from './support/hand-worker.ts';
import { type LiveServer, type Loose, startLiveServer } from './support/live-server.ts';

let live: LiveServer;
let worker: HandWorker;
let job: string;
let other: string;

const path = (query: string) => `/api/evaluation/attempts${query}`;
const get = async (query = ''): Promise<Loose> => (await live.call('GET', path(query))).body;

beforeAll(async () => {
  live = await startLiveServer();
  worker = await HandWorker.register(live, { slots: 3 });
  job = await live.submit({ range: { start: 0, count: 4 } }, { max_attempts: 1 });
  const given = (await worker.claim()).map(({ task_id, attempt, token }: Loose) => ({
    task_id,
    attempt,
    token,
  }));
  await worker.report({ started: given });
  await worker.report({
    results: [{ ...given[0], value: 0 }],
    failures: [{ ...given[1], error_type: 'RangeError', error_message: 'row 1' }],
  });
  other = await live.submit([1]);
});
afterAll(() => live.close());

describe('the attempts', () => {
  test('come live ones first, then newest end first, with their slots', async () => {
    const { attempts, left_out, kept_since } = await get(`?job_id=${job}`);
    expect(left_out).toBe(0);
    expect(Date.parse(kept_since)).toBeLessThanOrEqual(Date.now());
    const ended = attempts.filter(({ ended_at }: Loose) => ended_at !== null);
    const places = attempts.map(({ ended_at }: Loose) => ended_at === null);
    expect(places).toEqual([...places].sort((a, b) => Number(b) - Number(a)));
    expect(ended.map(({ status }: Loose) => status).sort()).toEqual(['completed', 'failed']);
    const running = attempts.find(({ status }: Loose) => status === 'running');
    expect(running).toMatchObject({
      job_id: job,
      task_id: `${job}.2`,
      index: 2,
      attempt: 1,
      worker_id: worker.id,
      slot: 2,
      ended_at: null,
      resumed_from_progress: null,
      resumed_from_attempt: null,
      checkpoints: 0,
      error_type: null,
    });
    const failed = ended.find(({ status }: Loose) => status === 'failed');
    expect(failed).toMatchObject({ index: 1, slot: 1, error_type: 'RangeError' });
  });

  test('are found by job, by worker and by time, and tell what did not fit', async () => {
    const all = await get();
    const of = (id: string) => all.attempts.filter(({ job_id }: Loose) => job_id === id).length;
    expect([of(job), of(other)].every((count) => count > 0)).toBe(true);
    expect((await get(`?worker_id=${worker.id}`)).attempts).toEqual(all.attempts);
    expect((await get('?worker_id=nobody')).attempts).toEqual([]);
    const one = await get('?limit=1');
    expect([one.attempts.length, one.left_out]).toEqual([1, all.attempts.length - 1]);
    expect((await get('?until=2020-01-01T00:00:00Z')).attempts).toEqual([]);
    const open = (await get('?since=2999-01-01T00:00:00Z')).attempts;
    expect(open.every(({ ended_at }: Loose) => ended_at === null)).toBe(true);
    const none = await live.call('GET', path('?job_id=none'));
    expect([none.status, none.body.code]).toEqual([404, 'unknown_job']);
  });

  test.each([
    ['limit=0', 'limit'],
    ['limit=10001', 'limit'],
    ['since=yesterday', 'since'],
    ['since=2026-05-04T10:00:00Z&until=2026-05-04T09:00:00Z', 'until'],
  ])('asked for with %s are refused in a sentence', async (query, field) => {
    const { status, body } = await live.call('GET', path(`?${query}`));
    expect([status, body.code]).toEqual([422, 'validation_failed']);
    expect(JSON.stringify(body)).toContain(field);
  });
});
