// How streams end that follow something.

import { expect, test } from 'vitest';
import { untilStopped } from './text-stream.ts';

async function* broken(fault: Error) {
  yield await Promise.resolve('first');
  throw fault;
}

test('a stream of a coordinator that has ended ends in order, though another is ready by then', async () => {
  const stopped = Object.assign(new Error('too late'), { name: 'CoordinatorStopped' });
  const chunks = untilStopped({ health: 'ready' }, broken(stopped));
  expect(await Array.fromAsync(chunks)).toEqual(['first']);
});

test('a stream that fails while the coordinator is ready does not look whole', async () => {
  const chunks = untilStopped({ health: 'ready' }, broken(new Error('a bug')));
  await expect(Array.fromAsync(chunks)).rejects.toThrow('a bug');
});
