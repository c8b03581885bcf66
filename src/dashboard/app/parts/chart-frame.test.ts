import { expect, test } from 'vitest';
import { type ChartData, frameOf } from './chart-frame.ts';

const bucketMs = 10_000;
const times = Array.from({ length: 12 }, (_, place) => place * bucketMs);
const rising = times.map((_, place) => place);
const window = { fromMs: 20_000, untilMs: 100_000, width: 800, nowMs: 200_000 };
const data = (more: Partial<ChartData> = {}): ChartData => ({
  times,
  bucketMs,
  lines: [{ name: 'completed', values: rising, colour: 'completed' }],
  ...more,
});

test('lines go on to both edges of the window, and no further', () => {
  const { times: drawn } = frameOf(data(), window);
  expect(drawn[0]).toBeLessThan(window.fromMs);
  expect(drawn.at(-1)).toBeGreaterThan(window.untilMs);
  expect(drawn.length).toBeLessThan(times.length);
});

test('a bucket that is not over is hollow, in the middle of what is over of it, and not in the line', () => {
  const { times: drawn, hollow } = frameOf(data(), { ...window, nowMs: 94_000, untilMs: 93_000 });
  expect(hollow).toEqual([{ atMs: 92_000, value: 9, colour: 'completed' }]);
  expect(drawn.at(-1)).toBe(85_000);
});

test('without room for each bucket there is a band, from least to most', () => {
  const [line] = frameOf(data(), { ...window, width: 8 }).lines;
  expect(line!.band!.most.every((most, step) => most! >= line!.mean[step]!)).toBe(true);
  expect(line!.band!.least.every((least, step) => least! <= line!.mean[step]!)).toBe(true);
});

test('where each step is a bucket there is none', () => {
  expect(frameOf(data(), window).lines[0]!.band).toBeNull();
});

test('failures are summed, those of the bucket that is not over too', () => {
  const failures = times.map((_, place) => (place === 9 ? 3 : 0));
  const { sticks } = frameOf(data({ failures }), { ...window, nowMs: 94_000, untilMs: 93_000 });
  expect(sticks).toEqual([{ atMs: 95_000, count: 3 }]);
});

const many = (count: number) =>
  Array.from({ length: count }, (_, line) => ({ name: `w${line}`, values: times.map(() => line) }));

test('eight lines are drawn as they are, each with a colour of its own', () => {
  const { lines } = frameOf(data({ lines: many(8) }), window);
  expect(new Set(lines.map(({ colour }) => colour)).size).toBe(8);
});

test('above eight there are the median with its band, and the chosen one in ink', () => {
  const { lines, most } = frameOf(data({ lines: many(21), chosen: 'w3' }), window);
  expect(lines.map(({ name, colour }) => [name, colour])).toEqual([
    ['median of 21', 'ink-3'],
    ['w3', 'ink'],
  ]);
  expect(lines[0]!.mean[0]).toBe(10);
  expect(lines[0]!.band).not.toBeNull();
  expect(most).toBe(19);
});

test('of nothing measured there is nothing to draw', () => {
  const frame = frameOf({ times: [], bucketMs, lines: [{ name: 'x', values: [] }] }, window);
  expect(frame).toMatchObject({ times: [], hollow: [], sticks: [], most: 0 });
});
