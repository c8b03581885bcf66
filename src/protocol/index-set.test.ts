import fc from 'fast-check';
import { expect, test } from 'vitest';
import { IndexSet } from './index-set.ts';

type Step = { readonly type: 'add' | 'delete' | 'range'; first: number; length: number };

function stepsBelow(most: number, longest: number, count: number) {
  const first = fc.integer({ min: 0, max: most });
  const step: fc.Arbitrary<Step> = fc.oneof(
    fc.record({
      type: fc.constantFrom('add' as const, 'delete' as const),
      first,
      length: fc.constant(0),
    }),
    fc.record({
      type: fc.constant('range' as const),
      first,
      length: fc.integer({ min: 0, max: longest }),
    }),
  );
  return fc.tuple(fc.array(step, { maxLength: count, size: 'max' }), fc.array(first));
}

test.for([
  ['in long ranges, over several pages', stepsBelow(20_000, 9_000, 20)],
  ['in many short ones, about the end of a page', stepsBelow(4_400, 8, 400)],
] as const)('is what a plain set would be, added and taken away %s', ([, steps]) => {
  fc.assert(fc.property(steps, checkSteps), { numRuns: 60 });
});

function checkSteps([steps, asked]: [readonly Step[], readonly number[]]): void {
  const plain = new Set<number>();
  const set = new IndexSet();
  for (const { type, first, length } of steps) {
    if (type === 'delete') {
      set.delete(first);
      plain.delete(first);
    } else if (type === 'add') {
      expect(set.add(first)).toBe(!plain.has(first));
      plain.add(first);
    } else {
      set.addRange({ first, last: first + length });
      for (let i = first; i <= first + length; i++) plain.add(i);
    }
  }
  expect(set.size).toBe(plain.size);
  const listed = [...set.ranges()].flatMap(({ first, last }) =>
    Array.from({ length: last - first + 1 }, (_, i) => first + i),
  );
  expect(listed).toEqual([...plain].toSorted((a, b) => a - b));
  for (const from of asked) {
    expect(set.has(from)).toBe(plain.has(from));
    let missing = from;
    while (plain.has(missing)) missing++;
    expect(set.nextMissing(from)).toBe(missing);
  }
  checkSubtracted(set, plain, asked);
}

function checkSubtracted(set: IndexSet, plain: Set<number>, starts: readonly number[]): void {
  const other = new IndexSet();
  for (const first of starts) {
    other.addRange({ first, last: first + 5000 });
    for (let i = first; i <= first + 5000; i++) plain.delete(i);
  }
  set.subtract(other);
  expect(set.size).toBe(plain.size);
  expect([...plain].filter((index) => !set.has(index))).toEqual([]);
}

test('of many short ranges of a large job takes no bits', () => {
  const before = process.memoryUsage().arrayBuffers;
  const sets = Array.from({ length: 20 }, () => {
    const set = new IndexSet();
    for (let i = 0; i < 1_000; i++) set.addRange({ first: i * 10_000, last: i * 10_000 + 1 });
    return set;
  });
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 * 1024);
  expect(sets.map(({ size }) => size)).toEqual(Array<number>(20).fill(2_000));
});

test('has its ranges as long as they can be', () => {
  const set = new IndexSet();
  set.addRange({ first: 3, last: 9_000 });
  set.add(9_002);
  set.delete(5_000);
  expect([...set.ranges()]).toEqual([
    { first: 3, last: 4_999 },
    { first: 5_001, last: 9_000 },
    { first: 9_002, last: 9_002 },
  ]);
});
