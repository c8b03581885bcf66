import { expect, test } from 'vitest';
import { timesInForce } from './times-in-force.ts';

const nowMs = Date.parse('2026-05-04T10:00:00.000Z');

function change(at: string, algorithm: string) {
  return { at: `2026-05-04T${at}.000Z`, algorithm, weighting: 'manual', weights: {}, by: null };
}

test('each lasts until the next, and the newest until now; what was undone at once is left out', () => {
  const changes = [
    change('09:30:00', 'fifo'),
    change('09:00:00', 'edas'),
    change('08:59:55', 'aras'),
    change('08:00:00', 'wrr'),
  ] as never;
  const times = timesInForce(changes, nowMs);
  expect(times.map(({ value }) => value)).toEqual([
    'since-2026-05-04T09:30:00.000Z',
    'between-2026-05-04T09:00:00.000Z_2026-05-04T09:30:00.000Z',
    'between-2026-05-04T08:00:00.000Z_2026-05-04T08:59:55.000Z',
  ]);
  expect(times.map(({ text }) => text.split(',')[0])).toEqual(['fifo', 'edas', 'wrr']);
  expect(timesInForce([], nowMs)).toEqual([]);
});
