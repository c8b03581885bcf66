import fc from 'fast-check';
import { expect, test } from 'vitest';
import { IndexSet } from './index-set.ts';

const index = fc.integer({ min: 0, max: 20_000 });
const step = fc.oneof(
  fc.record({ type: fc.constantFrom('add', 'delete'), first: index, length: fc.constant(0) }),
  fc.record({
    type: fc.constant('range'),
    first: index,
    length: fc.integer({ min: 0, max: 9_000 }),
  }),
);

test('is what a plain set would be, whatever is added, taken away and added as a range', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 20 }), fc.array(index), (steps, asked) => {
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
    }),
    { numRuns: 60 },
  );
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
