import { expect, test } from 'vitest';
import { ErrorKinds, foldedMessage } from './error-kinds.ts';

test.each([
  ['row 17 of 2000', 'row # of #'],
  ['too deep: -1.5e-7', 'too deep: #'],
  ['1,000,000 is too many', '# is too many'],
  ['at 0x7ffe', 'at #'],
  ['HTTP/1.1 answered 503', 'HTTP/# answered #'],
  ['took 12ms', 'took #ms'],
  ['file3 of utf8 is gone', 'file3 of utf8 is gone'],
  [`no job 0196a2f0-5b1e-7c43-9d0a-3f2b8c1d4e5f`, 'no job <id>'],
  [`blob b5d4045c3f466fa91fe2cc6abe79232a`, 'blob <id>'],
  ['defaced facade', 'defaced facade'],
  [`cannot read "a 1" or 'b'`, 'cannot read "…" or "…"'],
  [`it can't be, it isn't there`, `it can't be, it isn't there`],
  ['reading `x.y`', 'reading "…"'],
  ['', ''],
])('%j is of the kind %j', (message, folded) => {
  expect(foldedMessage(message)).toBe(folded);
});

function kindsOf(errors: readonly (readonly [number, string, string, string?])[]) {
  const kinds = new ErrorKinds();
  for (const [index, errorType, errorMessage, workerId = 'w'] of errors) {
    kinds.add({ index, workerId, errorType, errorMessage });
  }
  return kinds;
}

test('counts attempts, tasks and workers of each kind, the most frequent first', () => {
  const kinds = kindsOf([
    [3, 'RangeError', 'row 1', 'w1'],
    [3, 'RangeError', 'row 1', 'w2'],
    [4, 'TypeError', 'row 1', 'w1'],
    [5, 'RangeError', 'row 2', 'w1'],
    [6, 'RangeError', 'row 2', 'w1'],
    [7, 'RangeError', 'row 3', 'w1'],
  ]);
  expect(kinds.list(9)).toEqual([
    {
      type: 'RangeError',
      message: 'row #',
      varies: true,
      exampleMessage: 'row 1',
      attempts: 5,
      tasks: 4,
      workers: new Set(['w1', 'w2']),
      examples: [3, 5, 6],
    },
    {
      type: 'TypeError',
      message: 'row 1',
      varies: false,
      exampleMessage: 'row 1',
      attempts: 1,
      tasks: 1,
      workers: new Set(['w1']),
      examples: [4],
    },
  ]);
  expect(kinds.list(1)).toHaveLength(1);
  expect(kinds).toMatchObject({ attempts: 6, isComplete: true });
});

test('counts no more kinds than it can hold, and says so', () => {
  const word = (n: number) => n.toString().replace(/\d/g, (digit) => 'abcdefghij'[Number(digit)]!);
  const kinds = kindsOf(
    Array.from({ length: 1_500 }, (_, n) => [n, 'Error', `x ${word(n)}`] as const),
  );
  expect(kinds).toMatchObject({ attempts: 1_500, isComplete: false });
  expect(kinds.list(2_000)).toHaveLength(1_000);
});

test('a long message takes no longer for it', () => {
  const nasty = [`'`.repeat(500), '"a'.repeat(250), '1.'.repeat(250), 'a1'.repeat(250)];
  for (const message of nasty) expect(foldedMessage(message).length).toBeLessThan(1_001);
});
