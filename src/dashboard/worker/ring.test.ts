import { expect, test } from 'vitest';
import { ringOf, ringOfSession, steadied } from './ring.ts';

const today = { tasks: 3, failed: 0, helpedMs: 0, bytes: 0, energyJoules: null };
const done = (count: number) => Array.from({ length: count }, () => 'done' as const);
const lit = (doneEver: number) => {
  const { ticks, rounds } = ringOf(
    { recent: done(Math.min(60, doneEver)), doneEver, today },
    [],
    true,
  );
  return [ticks.filter((tick) => tick !== 'open').length, rounds];
};

test('a full ring stays until the next task begins another round', () => {
  expect([0, 1, 59, 60, 61, 120, 121].map(lit)).toEqual([
    [0, 0],
    [1, 0],
    [59, 0],
    [60, 0],
    [1, 1],
    [60, 1],
    [1, 2],
  ]);
});

test('a tick shows the outcome of its own task: the newest is the last that is lit', () => {
  const recent = [...done(57), 'failed', 'done', 'failed'] as const;
  const { ticks } = ringOf({ recent, doneEver: 62, today }, [], true);
  expect(ticks.slice(0, 3)).toEqual(['done', 'failed', 'open']);
});

test('outcomes that are not known any more are drawn as done', () => {
  const { ticks } = ringOf({ recent: ['failed'], doneEver: 3, today }, [], true);
  expect(ticks.slice(0, 4)).toEqual(['done', 'done', 'failed', 'open']);
});

test('three tasks have an arc, the others are counted', () => {
  const ring = ringOf({ recent: [], doneEver: 0, today }, [0.1, null, 0.3, 0.4, 0.5], false);
  expect([ring.arcs, ring.more]).toEqual([[0.1, null, 0.3], 2]);
});

test('with less motion arcs move in tenths', () => {
  const ring = ringOf({ recent: [], doneEver: 0, today }, [0.19, null, 0.2], false);
  expect(steadied(ring).arcs).toEqual([0.1, null, 0.2]);
});

test('at the end it shows the session alone', () => {
  expect(ringOfSession({ ...today, tasks: 1 })).toMatchObject({
    figure: '1',
    label: 'task done',
    arcs: [],
  });
});
