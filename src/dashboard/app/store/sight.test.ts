import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Sight } from './sight.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

function page(isHidden = false) {
  const state = { isHidden };
  const sight = new Sight(() => state.isHidden, 60_000);
  const turn = (hidden: boolean): void => {
    state.isHidden = hidden;
    sight.note();
  };
  return { sight, turn };
}

test('a page that is hidden for a moment keeps what it has', async () => {
  const { sight, turn } = page();
  const { signal } = sight;
  turn(true);
  vi.advanceTimersByTime(59_000);
  turn(false);
  vi.advanceTimersByTime(60_000);
  expect(signal.aborted).toBe(false);
  expect(sight.signal).toBe(signal);
  await sight.seen();
});

test('one that nobody sees for long lets go, and goes on when it is seen', async () => {
  const { sight, turn } = page();
  const { signal } = sight;
  turn(true);
  vi.advanceTimersByTime(60_000);
  expect(signal.aborted).toBe(true);
  const order: string[] = [];
  const seen = sight.seen().then(() => order.push('seen'));
  await Promise.resolve();
  order.push('still hidden');
  turn(false);
  await seen;
  expect(order).toEqual(['still hidden', 'seen']);
  expect(sight.signal.aborted).toBe(false);
});

test('one that slept, with its timers, begins anew as well', () => {
  const { sight, turn } = page();
  const { signal } = sight;
  turn(true);
  vi.setSystemTime(Date.now() + 60_000);
  vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 60_000);
  turn(false);
  vi.restoreAllMocks();
  expect(signal.aborted).toBe(true);
  expect(sight.signal.aborted).toBe(false);
});

test('a page that is opened behind others lets go as well', () => {
  const { sight } = page(true);
  vi.advanceTimersByTime(60_000);
  expect(sight.signal.aborted).toBe(true);
});
