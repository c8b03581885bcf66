import { describe, expect, it } from 'vitest';
import { borderColumns } from './border-columns.ts';
import { scoreAxis } from './score-axis.ts';
import { shownRows } from './shown-rows.ts';
import { optimumOf, stackedBars } from './stacked-bars.ts';

const row = (key: string, cpu: number, memory: number) => ({
  key,
  parts: [
    ['cpu', cpu],
    ['memory', memory],
  ] as const,
});

describe('bars of contributions', () => {
  it('stand right of 0 for what is above it and left for what is below, in one scale', () => {
    const { zero, bars } = stackedBars([row('a', 0.3, 0.1), row('b', -0.1, 0.2)], {
      x: 100,
      width: 500,
    });
    expect(zero).toBe(200);
    expect(bars[0]!.segments).toEqual([
      { criterion: 'cpu', x: 200, width: 300 },
      { criterion: 'memory', x: 500, width: 100 },
    ]);
    expect(bars[1]!.segments.map(({ x }) => x)).toEqual([100, 200]);
    expect(bars.map(({ end }) => end)).toEqual([600, 400]);
  });

  it('stay within their room whatever they add up to', () => {
    const { bars } = stackedBars([row('a', 7, -2), row('b', -5, 1), row('c', 0, 0)], {
      x: 10,
      width: 90,
    });
    for (const { x, width } of bars.flatMap(({ segments }) => segments)) {
      expect(x).toBeGreaterThanOrEqual(10);
      expect(x + width).toBeLessThanOrEqual(100 + 1e-9);
    }
  });

  it('have their 0 in the middle when nothing tells the devices apart', () => {
    const { zero, bars } = stackedBars([row('a', 0, 0)], { x: 0, width: 200 });
    expect(zero).toBe(100);
    expect(bars[0]!.segments).toEqual([]);
  });

  // The example of docs/reference/algorithms.md: laptop and desktop.
  it('of ARAS end short of the optimum by what the utility degree lacks', () => {
    const rows = [
      { ...row('laptop', 0.1125, 0.0952), details: { s: 0.2077, k: 0.6335 } },
      { ...row('desktop', 0.075, 0.2153), details: { s: 0.2903, k: 0.8856 } },
    ];
    const optimum = optimumOf(rows);
    const { zero, unit, bars } = stackedBars(rows, { x: 0, width: 100, least: optimum.sum });
    const line = zero + optimum.sum * unit;
    expect(optimum.parts).toEqual([
      ['cpu', 0.1125],
      ['memory', 0.2153],
    ]);
    expect(line).toBeCloseTo(100, 9);
    expect(bars.map(({ end }) => end / line)).toEqual([
      expect.closeTo(0.6335, 3),
      expect.closeTo(0.8856, 3),
    ]);
  });

  it('of EDAS lie right of the average as far as SP and left as far as SN', () => {
    const rows = [row('laptop', 0.0174 + 0.0909, -0.08), row('desktop', -0.087, 0.3855)];
    const { zero, unit, bars } = stackedBars(rows, { x: 0, width: 100 });
    expect((bars[0]!.end - zero) / unit).toBeCloseTo(0.1083, 9);
    expect((bars[1]!.end - zero) / unit).toBeCloseTo(0.3855, 9);
    expect((zero - Math.min(...bars[1]!.segments.map(({ x }) => x))) / unit).toBeCloseTo(0.087, 9);
  });
});

describe('columns around the border', () => {
  it('stand above it for what is above 0 and below it for the rest', () => {
    const rows = [
      { ...row('desktop', -0.1073, 0.2645), score: 0.1572 },
      { ...row('phone', 0.0928, -0.1356), score: -0.0428 },
    ];
    const { border, columns } = borderColumns(rows, { x: 0, width: 100, top: 10, height: 200 });
    expect(columns.map(({ isAbove }) => isAbove)).toEqual([true, false]);
    expect(columns[0]!.y).toBeLessThan(border);
    expect(columns[1]!.y).toBeGreaterThan(border);
    expect(columns[0]!.dots).toHaveLength(2);
  });

  it('lie on it when a device is alone', () => {
    const { border, columns } = borderColumns([{ ...row('a', 0, 0), score: 0 }], {
      x: 0,
      width: 100,
      top: 0,
      height: 200,
    });
    expect([border, columns[0]!.y]).toEqual([100, 100]);
  });
});

describe('the axis', () => {
  it('begins at 0 and ends at a round number', () => {
    const { dots, ticks } = scoreAxis(
      [
        { key: 'a', score: 500 },
        { key: 'b', score: 800 },
      ],
      { x: 0, width: 100 },
    );
    expect(ticks.map(({ value }) => value)).toEqual([0, 200, 400, 600, 800]);
    expect(dots.map(({ x }) => x)).toEqual([62.5, 100]);
  });

  it('has at most six ticks, whatever the scores are', () => {
    for (const most of [0, 1, 3, 7, 12, 99, 101, 5_000, 0.0031]) {
      const { ticks } = scoreAxis([{ key: 'a', score: most }], { x: 0, width: 100 });
      expect(ticks.length).toBeGreaterThan(1);
      expect(ticks.length).toBeLessThanOrEqual(6);
      expect(ticks.at(-1)!.value).toBeGreaterThanOrEqual(most);
    }
  });

  it('is the line in which devices stand where nothing is compared', () => {
    // The third has no row: its place stays free.
    const rows = [1, 2, 4].map((rank) => ({ key: String(rank), score: rank }));
    const { dots } = scoreAxis(rows, { x: 0, width: 400 });
    expect(dots.map(({ x }) => x)).toEqual([100, 200, 400]);
  });
});

describe('rows of many workers', () => {
  const workers = (count: number, chosen: number) =>
    Array.from({ length: count }, (_, place) => ({ place, selected: place === chosen }));

  it('are all shown while they are few', () => {
    expect(shownRows(workers(20, 3), 20)).toMatchObject({ leftOut: 0 });
  });

  it('are the best 16, the chosen one and the worst 3', () => {
    const { rows, leftOut } = shownRows(workers(200, 77), 20);
    expect(rows.map(({ place }) => place)).toEqual([
      ...Array.from({ length: 16 }, (_, place) => place),
      77,
      197,
      198,
      199,
    ]);
    expect(leftOut).toBe(180);
  });
});
