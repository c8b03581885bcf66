import { expect, test } from 'vitest';
import { idleStretches, ticksOf, timeScale, zoomed } from './time-scale.ts';

const minute = 60_000;
const edges = { left: 100, right: 1_100 };

test('times lie evenly where nothing is folded, and lead back', () => {
  const scale = timeScale({ from: 0, to: 10 * minute }, edges);
  expect(scale.x(0)).toBe(100);
  expect(scale.x(5 * minute)).toBe(600);
  expect(scale.x(10 * minute)).toBe(1_100);
  expect(scale.at(600)).toBe(5 * minute);
});

test('a stretch in which nothing happens is idle from a fifth of the span on', () => {
  const span = { from: 0, to: 100 * minute };
  const busy = [
    { from: 0, to: 30 * minute },
    { from: 60 * minute, to: 70 * minute },
    { from: 85 * minute, to: 100 * minute },
  ];
  expect(idleStretches(busy, span)).toEqual([{ from: 30 * minute, to: 60 * minute }]);
});

test('what overlaps is busy together, and what is outside counts not', () => {
  const span = { from: 0, to: 100 * minute };
  expect(
    idleStretches(
      [
        { from: 0, to: 60 * minute },
        { from: 10 * minute, to: 20 * minute },
      ],
      span,
    ),
  ).toEqual([{ from: 60 * minute, to: 100 * minute }]);
  expect(idleStretches([{ from: 200 * minute, to: 300 * minute }], span)).toEqual([]);
});

test('a stretch of some seconds is not folded, however short the span is', () => {
  const busy = [{ from: 0, to: 2_000 }];
  expect(idleStretches(busy, { from: 0, to: 5_000 })).toEqual([]);
});

test('a folded stretch takes a strip, and the rest shares the room', () => {
  const scale = timeScale({ from: 0, to: 100 }, edges, [{ from: 20, to: 80 }]);
  const [fold] = scale.folds;
  expect(fold!.right - fold!.left).toBe(44);
  expect(scale.x(20)).toBeCloseTo(100 + (1_000 - 44) / 2, 6);
  expect(scale.x(80)).toBeCloseTo(fold!.right, 6);
  expect(scale.x(100)).toBeCloseTo(1_100, 6);
  expect(scale.at(scale.x(90))).toBeCloseTo(90, 6);
});

test('ticks are round, apart from each other, and not in a fold', () => {
  const from = Date.parse('2026-05-04T09:00:10Z');
  const span = { from, to: from + 4 * minute };
  const ticks = ticksOf(timeScale(span, edges), 84);
  expect(ticks.map(({ at }) => new Date(at).toISOString().slice(14, 19))).toEqual([
    '00:30',
    '01:00',
    '01:30',
    '02:00',
    '02:30',
    '03:00',
    '03:30',
    '04:00',
  ]);
  const idle = { from: from + minute, to: from + 3 * minute };
  const folded = ticksOf(timeScale(span, edges, [idle]), 84);
  expect(folded.every(({ at }) => at <= idle.from || at >= idle.to)).toBe(true);
  expect(folded.length).toBeGreaterThan(2);
});

test('zoom keeps what it is around in its place, and ends at two seconds', () => {
  expect(zoomed({ from: 0, to: 100_000 }, 25_000, 0.5)).toEqual({ from: 12_500, to: 62_500 });
  const closest = zoomed({ from: 0, to: 3_000 }, 0, 0.5);
  expect(closest).toEqual({ from: 0, to: 2_000 });
});
