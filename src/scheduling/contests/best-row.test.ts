import { describe, expect, test } from 'vitest';
import { bestRow, orderRows } from './best-row.ts';
import { makeWorker } from '../testing/made-cluster.ts';

const busy = makeWorker('busy', {}, { activeTasks: 2 });
const idle = makeWorker('idle', {}, { activeTasks: 0 });
const third = makeWorker('third', {}, { activeTasks: 1 });
const both = Uint8Array.of(1, 1);

describe('scores within 1e-12', () => {
  test('tie, and fewer active tasks decide', () => {
    expect(bestRow(Float64Array.of(0.5, 0.5 - 5e-13), both, [busy, idle])).toBe(1);
    expect(bestRow(Float64Array.of(0.5, 0.5 - 5e-12), both, [busy, idle])).toBe(0);
  });

  test('do not chain: only those within reach of the best one tie with it', () => {
    const scores = Float64Array.of(0.5, 0.5 - 8e-13, 0.5 - 16e-13);
    const all = Uint8Array.of(1, 1, 1);
    expect(bestRow(scores, all, [busy, third, idle])).toBe(1);
    expect(bestRow(scores.toReversed(), all, [idle, third, busy])).toBe(1);
    expect(orderRows(scores, [busy, third, idle])).toEqual([1, 0, 2]);
  });
});

test('a large score that is not eligible does not hide the best eligible one', () => {
  expect(bestRow(Float64Array.of(9, -4), Uint8Array.of(0, 1), [idle, busy])).toBe(1);
  expect(bestRow(Float64Array.of(9, -4), Uint8Array.of(0, 0), [idle, busy])).toBe(-1);
});
