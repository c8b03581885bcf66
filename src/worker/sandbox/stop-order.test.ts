import { expect, test } from 'vitest';
import { notedOrder, StopOrder } from './stop-order.ts';

function counted(noted: number) {
  const reads = { count: 0 };
  const order = new StopOrder(() => {
    reads.count += 1;
    return noted;
  });
  return { order, reads };
}

test('is for the attempt that it names, and tells whether a last checkpoint is wanted', () => {
  expect(counted(notedOrder(7, false)).order.look(7, 0)).toEqual({ wantsCheckpoint: false });
  expect(counted(notedOrder(7, true)).order.look(7, 0)).toEqual({ wantsCheckpoint: true });
  expect(counted(notedOrder(6, false)).order.look(7, 0)).toBeNull();
  expect(counted(0).order.look(7, 0)).toBeNull();
});

test('is read once in five milliseconds, however often it is asked for', () => {
  const { order, reads } = counted(0);
  for (let now = 0; now <= 10; now += 0.5) order.look(1, now);
  expect(reads.count).toBe(3);
});

test('is never there on a platform without such a channel', () => {
  expect(new StopOrder(null).look(1, 0)).toBeNull();
});
