import { expect, test } from 'vitest';
import { liveEdge, nextMoveIn, timeTicks } from './chart-window.ts';

test('the edge of a live chart is two seconds ago, and moves by whole pixels', () => {
  const msPerPixel = 5_000;
  const edges = [10_000, 11_999, 12_000, 16_999, 17_000].map((now) => liveEdge(now, msPerPixel));
  expect(edges).toEqual([5_000, 5_000, 10_000, 10_000, 15_000]);
});

test('it says when it moves next', () => {
  expect(nextMoveIn(10_000, 5_000)).toBe(2_000);
  expect(liveEdge(12_000, 5_000) - liveEdge(10_000, 5_000)).toBe(5_000);
});

const hour = 3_600_000;
const noon = Date.UTC(2026, 4, 4, 12);

test('an hour on a wide chart has a moment every ten minutes, but where its text would be cut', () => {
  const ticks = timeTicks(noon, noon + hour, 700, 0);
  expect(ticks.map(({ atMs }) => (atMs - noon) / 60_000)).toEqual([0, 10, 20, 30, 40, 50]);
});

test('on a narrow one they are as far apart as their texts need', () => {
  for (const width of [240, 300, 700, 1_400]) {
    for (const length of [60_000, 900_000, hour, 24 * hour, 30 * 24 * hour]) {
      const ticks = timeTicks(noon, noon + length, width, 0);
      for (const [place, { atMs }] of ticks.entries()) {
        if (place === 0) continue;
        expect(((atMs - ticks[place - 1]!.atMs) * width) / length).toBeGreaterThanOrEqual(76);
      }
    }
  }
});

test('days are whole where they are, not at Greenwich', () => {
  const india = 5.5 * hour;
  const [first] = timeTicks(noon, noon + 7 * 24 * hour, 1_000, india);
  expect((first!.atMs + india) % (24 * hour)).toBe(0);
});
