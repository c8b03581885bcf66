import { expect, test } from 'vitest';
import { givingBack } from './give-back.ts';

const identity = { workerId: 'w', workerToken: 'mst_w_x' };

function attemptsOf(count: number) {
  return Array.from({ length: count }, (_, index) => ({
    task_id: `01a206c6-96a0-730f-b5d6-de555db52fb3.${index}`,
    attempt: 1,
    token: '2bf7e14c97910d9e98221d79a09657fe',
  }));
}

test('what it holds is given back with the token of the worker, by a request that outlives the page', () => {
  const attempts = attemptsOf(2);
  const { path, how } = givingBack(identity, attempts)!;
  expect(path).toBe('/api/workers/w/release');
  expect(how).toMatchObject({
    method: 'POST',
    keepalive: true,
    headers: { authorization: 'Bearer mst_w_x' },
  });
  expect(JSON.parse(how.body)).toEqual({ attempts });
});

test('of more than a browser sends after its page, as many are named as fit', () => {
  const attempts = attemptsOf(2000);
  const { body } = givingBack(identity, attempts)!.how;
  expect(body.length).toBeLessThan(64 * 1024);
  expect(JSON.parse(body)).toEqual({ attempts: attempts.slice(0, 400) });
});

test('nothing is sent by who holds nothing, or is nobody yet', () => {
  expect(givingBack(identity, [])).toBeNull();
  expect(givingBack(null, attemptsOf(1))).toBeNull();
});
