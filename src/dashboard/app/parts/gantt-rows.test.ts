import { expect, test } from 'vitest';
import { barNear, type GanttBar, type GanttGroup, moveBar, placeRows } from './gantt-rows.ts';

const bar = (from: number, to: number | null): GanttBar => ({
  id: `${from}`,
  from,
  to,
  kind: 'completed',
  told: '',
});
const rows = [
  { id: 'a', bars: [bar(0, 10), bar(10, 20)] },
  { id: 'b', bars: [] },
  { id: 'c', bars: [bar(2, 5), bar(14, 16), bar(17, null)] },
];

test('rows of a device stand closer together than devices', () => {
  const groups: GanttGroup[] = [
    { id: '1', name: 'atlas', rows: rows.slice(0, 2) },
    { id: '2', name: 'grove', rows: rows.slice(2) },
  ];
  const placed = placeRows(groups, 20);
  expect(placed.rows.map(({ y }) => y)).toEqual([20, 35, 59]);
  expect(placed.height).toBe(74);
});

test('the bar at a moment is found, or one that is near enough', () => {
  expect(barNear(rows[0], 12, 1, 30)).toBe(1);
  expect(barNear(rows[2], 13, 1, 30)).toBe(1);
  expect(barNear(rows[2], 8, 1, 30)).toBeNull();
  expect(barNear(rows[2], 29, 0, 30)).toBe(2);
  expect(barNear(undefined, 8, 1, 30)).toBeNull();
});

test('arrows go along a row, and over empty rows to what is nearest in time', () => {
  expect(moveBar(rows, null, 'ArrowRight', 30)).toEqual({ row: 0, bar: 1 });
  expect(moveBar(rows, { row: 0, bar: 1 }, 'ArrowRight', 30)).toEqual({ row: 0, bar: 1 });
  expect(moveBar(rows, { row: 0, bar: 1 }, 'ArrowDown', 30)).toEqual({ row: 2, bar: 1 });
  expect(moveBar(rows, { row: 2, bar: 2 }, 'ArrowUp', 30)).toEqual({ row: 0, bar: 1 });
  expect(moveBar(rows, { row: 2, bar: 2 }, 'ArrowDown', 30)).toEqual({ row: 2, bar: 2 });
  expect(moveBar(rows, { row: 2, bar: 1 }, 'Home', 30)).toEqual({ row: 2, bar: 0 });
  expect(moveBar(rows, { row: 2, bar: 0 }, 'End', 30)).toEqual({ row: 2, bar: 2 });
  expect(moveBar([{ bars: [], id: 'x' }], null, 'End', 30)).toBeNull();
});
