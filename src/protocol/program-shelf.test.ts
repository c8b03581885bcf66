import fc from 'fast-check';
import { expect, test } from 'vitest';
import { narrower, ProgramShelf, type ShelfBounds } from './program-shelf.ts';

const three = { programs: 3, characters: 100 };

function shelf(bounds: ShelfBounds = three): ProgramShelf<null> {
  return new ProgramShelf<null>(bounds);
}

function names(of: ProgramShelf<null>): string {
  return of
    .newest(1000)
    .map(([sha256]) => sha256)
    .join('');
}

test('keeps so many programs, and forgets the longest unused', () => {
  const kept = shelf();
  for (const name of 'abc') kept.put(name, 1, null);
  expect(kept.use('a')).toBeNull();
  kept.put('d', 1, null);
  expect(names(kept)).toBe('cad');
  expect([kept.has('b'), kept.use('b')]).toEqual([false, undefined]);
});

test('keeps so many characters, and one that is longer alone', () => {
  const kept = shelf();
  kept.put('a', 60, null);
  kept.put('b', 30, null);
  kept.put('c', 40, null);
  expect(names(kept)).toBe('bc');
  kept.put('d', 1000, null);
  expect(names(kept)).toBe('d');
  kept.put('e', 100, null);
  expect(names(kept)).toBe('e');
});

test('counts a program that comes again once', () => {
  const kept = shelf();
  for (let i = 0; i < 9; i++) kept.put('a', 40, null);
  kept.put('b', 60, null);
  expect(names(kept)).toBe('ab');
  kept.clear();
  kept.put('c', 100, null);
  expect(names(kept)).toBe('c');
});

const bounds = fc.record({
  programs: fc.integer({ min: 1, max: 6 }),
  characters: fc.integer({ min: 1, max: 200 }),
});

/** What may happen to a connection: an assignment of a program, a new `hello`, all of it forgotten. */
const steps = fc.array(
  fc.oneof(
    { weight: 20, arbitrary: fc.integer({ min: 0, max: 9 }) },
    fc.constant('hello' as const),
    fc.constant('forget' as const),
  ),
  { maxLength: 200 },
);

test('the coordinator takes no program to be kept that the worker has forgotten', () => {
  fc.assert(
    fc.property(bounds, bounds, steps, (own, others, sequence) => {
      const worker = new ProgramShelf<string>(own);
      let book = new ProgramShelf<null>(narrower(own, others));
      for (const step of sequence) {
        if (step === 'forget') book.clear();
        if (step === 'hello') {
          book = new ProgramShelf<null>(narrower(own, others));
          for (const [sha256, { characters }] of worker.newest(3)) {
            book.put(sha256, characters, null);
          }
        }
        if (typeof step !== 'number') continue;
        const [sha256, source] = [`program ${step}`, 'x'.repeat(step * 20)];
        if (book.use(sha256) === null) {
          expect(worker.use(sha256)).toBe(source);
        } else {
          book.put(sha256, source.length, null);
          worker.put(sha256, source.length, source);
        }
      }
    }),
  );
});
