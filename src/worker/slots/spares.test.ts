import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Spares } from './spares.ts';

test('wants none before anything happens, one a second later, none after half a minute', () => {
  const spares = new Spares(8);
  expect(spares.wanted(0)).toBe(0);
  spares.worked(1_000);
  expect(spares.wanted(1_999)).toBe(0);
  expect(spares.wanted(2_000)).toBe(1);
  expect(spares.wanted(30_999)).toBe(1);
  expect(spares.wanted(31_000)).toBe(0);
  spares.worked(31_000);
  expect(spares.wanted(31_999)).toBe(0);
  expect(spares.wanted(32_000)).toBe(1);
});

test('wants one at once when a child is taken after the first attempt', () => {
  const spares = new Spares(8);
  spares.taken(0);
  spares.worked(100);
  expect(spares.wanted(200)).toBe(0);
  spares.taken(200);
  expect(spares.wanted(200)).toBe(1);
  spares.worked(30_200);
  expect(spares.wanted(30_200)).toBe(0);
});

test('wants as many as are taken while one starts, and one more', () => {
  const spares = new Spares(8);
  for (let i = 0; i < 100; i++) spares.started(410);
  spares.worked(0);
  // Ten in two seconds are two in 410 ms.
  for (let i = 0; i < 10; i++) spares.taken(i * 200);
  expect(spares.wanted(1_900)).toBe(3);
  // Two seconds later they do not count any more.
  expect(spares.wanted(4_000)).toBe(1);
});

test('wants more of children that start slowly', () => {
  const wanted = (startMs: number) => {
    const spares = new Spares(8);
    for (let i = 0; i < 100; i++) spares.started(startMs);
    spares.worked(0);
    for (let i = 0; i < 10; i++) spares.taken(0);
    return spares.wanted(0);
  };
  expect([100, 250, 1_000, 60_000].map(wanted)).toEqual([1, 2, 5, 8]);
});

test('never wants more than its bound, and none at rest', () => {
  const step = fc.record({
    do: fc.constantFrom('worked', 'taken', 'started'),
    afterMs: fc.integer({ min: 0, max: 5_000 }),
  });
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 200 }),
      fc.integer({ min: 1, max: 8 }),
      (steps, most) => {
        const spares = new Spares(most);
        let nowMs = 0;
        let hasWorked = false;
        for (const each of steps) {
          nowMs += each.afterMs;
          if (each.do === 'worked') spares.worked(nowMs);
          else if (each.do === 'taken') spares.taken(nowMs);
          else spares.started(each.afterMs);
          hasWorked ||= each.do === 'worked';
          expect(spares.wanted(nowMs)).toBeLessThanOrEqual(most);
          if (!hasWorked) expect(spares.wanted(nowMs)).toBe(0);
        }
        expect(spares.wanted(nowMs + 30_000)).toBe(0);
      },
    ),
  );
});
