import { expect, test } from 'vitest';
import { giveBack } from './give-back.ts';

function sentFor(count: number) {
  const sent: { path: string; request: RequestInit }[] = [];
  const attempts = Array.from({ length: count }, (_, index) => ({
    task_id: `01a206c6-96a0-730f-b5d6-de555db52fb3.${index}`,
    attempt: 1,
    token: '2bf7e14c97910d9e98221d79a09657fe',
  }));
  const holding = { workerId: 'w', workerToken: 'mst_w_x', attempts };
  giveBack(holding, async (path, request) => {
    sent.push({ path, request });
    throw new Error('The page is gone.');
  });
  return { attempts, ...sent[0]! };
}

test('what it holds is given back with the token of the worker, by a request that outlives the page', () => {
  const { path, request, attempts } = sentFor(2);
  expect(path).toBe('/api/workers/w/release');
  expect(request).toMatchObject({
    method: 'POST',
    keepalive: true,
    headers: { authorization: 'Bearer mst_w_x' },
  });
  expect(JSON.parse(request.body as string)).toEqual({ attempts });
});

test('of more than a browser sends after its page, as many are named as fit', () => {
  const { request, attempts } = sentFor(2000);
  const body = request.body as string;
  expect(body.length).toBeLessThan(64 * 1024);
  expect(JSON.parse(body)).toEqual({ attempts: attempts.slice(0, 400) });
});
