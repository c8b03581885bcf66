import fc from 'fast-check';
import { expect, test } from 'vitest';
import { IndexHeap } from './index-heap.ts';

test('hands out the smallest index first, whatever was taken out on the way', () => {
  const step = fc.oneof(
    fc.record({ push: fc.integer({ min: 0, max: 40 }) }),
    fc.record({ remove: fc.integer({ min: 0, max: 40 }) }),
    fc.constant('pop' as const),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const heap = new IndexHeap();
      const expected = new Set<number>();
      for (const each of steps) {
        if (each === 'pop') {
          const smallest = expected.size === 0 ? undefined : Math.min(...expected);
          expect(heap.pop()).toBe(smallest);
          if (smallest !== undefined) expected.delete(smallest);
        } else if ('push' in each) {
          if (!expected.has(each.push)) heap.push(each.push);
          expected.add(each.push);
        } else {
          heap.remove(each.remove);
          expected.delete(each.remove);
        }
        expect(heap.size).toBe(expected.size);
        expect(heap.first).toBe(expected.size === 0 ? undefined : Math.min(...expected));
      }
      expect([...heap.values()].sort((a, b) => a - b)).toEqual([...expected].sort((a, b) => a - b));
      heap.clear();
      expect(heap.pop()).toBeUndefined();
    }),
  );
});
