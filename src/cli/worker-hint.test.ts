import { expect, test } from 'vitest';
import { workerAdvice, workerHint } from './worker-hint.ts';

const pin = 'A'.repeat(43);

test('where no token is shown, the hint is a command that works as it stands', async () => {
  const url = 'http://127.0.0.1:8000/';
  expect(await workerHint({ url })).toBe('start one with  muster worker http://127.0.0.1:8000');
  const pinned = `start one with  muster worker 'https://10.0.0.4:8000#k=${pin}'`;
  expect(await workerHint({ url: 'https://10.0.0.4:8000', pin })).toBe(pinned);
  expect(await workerHint({ url: `https://10.0.0.4:8000#k=${pin}` })).toBe(pinned);
});

test('where a token is shown, it is a link, as a worker without one would be refused', async () => {
  const asked = { url: `https://10.0.0.4:8000#k=${pin}`, token: 'mst_a_x' };
  expect(await workerHint(asked)).toBe('let one join with  muster join');
  expect(await workerAdvice(asked)).toBe('Let one join with  muster join');
});

test.each(['http://0.0.0.0:8000', 'http://[::]:8000'])('nobody is sent to %s', async (url) => {
  expect(await workerHint({ url })).toMatch(
    /^start one with {2}muster worker http:\/\/(?!0\.0\.0\.0|\[::\]).+:8000$/,
  );
});
