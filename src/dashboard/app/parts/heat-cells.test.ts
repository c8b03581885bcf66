import { expect, test } from 'vitest';
import type { TaskStatus, TaskMap } from '../../../protocol/resources.ts';
import {
  cellAt,
  cellCount,
  cellGrid,
  lookOf,
  moveCell,
  rangeOf,
  toldOfCell,
  toldOfMap,
} from './heat-cells.ts';

const none = { pending: 0, assigned: 0, running: 0, completed: 0, failed: 0, cancelled: 0 };
const map = (
  from: number,
  to: number,
  width: number,
  counts: Partial<Record<TaskStatus, number[]>>,
): TaskMap => ({
  from,
  to,
  width,
  counts: {
    pending: [],
    assigned: [],
    running: [],
    completed: [],
    failed: [],
    cancelled: [],
    ...counts,
  },
});
const plain = (text: string): string => text.replaceAll('\u202f', ' ');

test('the last cell has what is left', () => {
  const ten = map(10, 20, 4, {});
  expect(cellCount(ten)).toBe(3);
  expect([0, 1, 2].map((cell) => rangeOf(ten, cell))).toEqual([
    { from: 10, to: 14 },
    { from: 14, to: 18 },
    { from: 18, to: 20 },
  ]);
});

test('cells fill the width, and are neither dust nor tiles', () => {
  expect(cellGrid(2_500, { width: 600, height: 260 })).toEqual({ columns: 85, rows: 30, step: 7 });
  expect(cellGrid(4_000, { width: 300, height: 260 }).step).toBe(5);
  expect(cellGrid(3, { width: 600, height: 260 })).toEqual({ columns: 3, rows: 1, step: 20 });
  expect(cellGrid(0, { width: 600, height: 260 }).rows).toBe(0);
});

test('a point is in a cell, or in none', () => {
  const grid = { columns: 10, rows: 3, step: 8 };
  expect(cellAt(grid, 25, 0, 0)).toBe(0);
  expect(cellAt(grid, 25, 79, 8)).toBe(19);
  expect(cellAt(grid, 25, 40, 17)).toBeNull();
  expect(cellAt(grid, 25, 81, 0)).toBeNull();
  expect(cellAt(grid, 25, -1, 0)).toBeNull();
});

test('one failed task is seen among a thousand, and one running', () => {
  expect(lookOf({ ...none, completed: 999, failed: 1 }).base).toBe('failed');
  expect(lookOf({ ...none, completed: 999, running: 1 })).toEqual({
    base: 'completed',
    third: 2,
    isRunning: true,
  });
  expect(lookOf({ ...none, pending: 3, running: 1 })).toMatchObject({
    base: 'pending',
    isRunning: true,
  });
});

test('completed has three steps, of which only all is full', () => {
  const third = (completed: number) => lookOf({ ...none, completed, pending: 4 - completed }).third;
  expect([1, 2, 3, 4].map(third)).toEqual([1, 1, 2, 3]);
});

test('a cell of one task looks as the task stands', () => {
  for (const state of [
    'pending',
    'assigned',
    'running',
    'completed',
    'failed',
    'cancelled',
  ] as const) {
    expect(lookOf({ ...none, [state]: 1 }).base).toBe(state);
  }
});

test('only a cell in which all is cancelled is lined', () => {
  expect(lookOf({ ...none, cancelled: 4 }).base).toBe('cancelled');
  expect(lookOf({ ...none, cancelled: 3, completed: 1 }).base).toBe('completed');
  expect(lookOf({ ...none, cancelled: 3, pending: 1 }).base).toBe('pending');
});

test('arrows stay within the grid', () => {
  const grid = { columns: 4, rows: 3, step: 8 };
  expect(moveCell(null, 'ArrowDown', grid, 10)).toBe(0);
  expect(moveCell(5, 'ArrowDown', grid, 10)).toBe(9);
  expect(moveCell(7, 'ArrowDown', grid, 10)).toBe(7);
  expect(moveCell(3, 'ArrowRight', grid, 10)).toBe(4);
  expect(moveCell(0, 'ArrowLeft', grid, 10)).toBe(0);
  expect(moveCell(2, 'End', grid, 10)).toBe(9);
  expect(moveCell(null, 'Home', grid, 0)).toBeNull();
});

test('a cell and the whole are told in words', () => {
  const tasks = map(6_000, 6_008, 4, {
    completed: [2, 4],
    running: [1, 0],
    pending: [1, 0],
  });
  expect(plain(toldOfCell(tasks, 0))).toBe(
    'Tasks 6 000–6 003: 1 pending, 1 running and 2 completed',
  );
  expect(plain(toldOfMap(tasks))).toBe(
    '8 tasks in 2 cells, 4 to a cell: 1 pending, 1 running and 6 completed.',
  );
  expect(toldOfCell(map(0, 1, 1, { failed: [1] }), 0)).toBe('Task 0: failed');
});
