import { describe, expect, test } from 'vitest';
import { sentenceOfInputs, understand, understandRange, type Understood } from './understood.ts';

const quietly = { signal: new AbortController().signal, onRead: () => {} };

describe('what was understood', () => {
  test('is a count and the first input', async () => {
    const reading = await understand('csv', new Blob(['id\n7\n8\n']), quietly);
    expect(reading).toEqual({ count: 2, first: { id: '7' }, isWhole: true });
    expect(sentenceOfInputs(reading as Understood)).toBe('2 inputs, the first is {"id":"7"}');
  });

  test('is told while much is read', async () => {
    const told: number[] = [];
    const text = '1\n'.repeat(50_000);
    const reading = await understand('ndjson', new Blob([text]), {
      ...quietly,
      onRead: ({ count, isWhole }) => told.push(isWhole ? -1 : count),
    });
    expect(reading).toMatchObject({ count: 50_000, isWhole: true });
    expect(told).toEqual([20_000, 40_000]);
  });

  test('is a sentence with a line where something is wrong', async () => {
    const reading = await understand('ndjson', new Blob(['1\nx']), quietly);
    expect(reading).toEqual({
      sentence: 'Line 2 is not valid JSON (unexpected "x" at column 1).',
      line: 2,
    });
    const empty = await understand('json', new Blob(['[]']), quietly);
    expect(empty).toEqual({
      sentence: 'There is no input in it: a job needs at least one.',
      line: null,
    });
  });

  test('is nothing when the reading was given up', async () => {
    const given = new AbortController();
    given.abort(new Error('another text'));
    const promise = understand('lines', new Blob(['a']), { ...quietly, signal: given.signal });
    await expect(promise).rejects.toThrow('another text');
  });

  test('is cut where the first input is long', () => {
    const first = 'x'.repeat(500);
    const sentence = sentenceOfInputs({ count: 1, first, isWhole: true });
    expect(sentence).toMatch(/^1 input: "x+…$/);
    expect(sentence.length).toBeLessThan(120);
  });
});

describe('a range', () => {
  test('begins at zero unless it says otherwise', () => {
    expect(understandRange('', '1000')).toEqual({ count: 1000, first: 0, isWhole: true });
    expect(understandRange('-5', '10')).toEqual({ count: 10, first: -5, isWhole: true });
  });

  test.each([
    ['1.5', '10', 'The first number is not a whole one.'],
    ['0', '', 'Say how many numbers: a whole number from 1 on.'],
    ['0', '0', 'Say how many numbers: a whole number from 1 on.'],
    ['9007199254740991', '2', 'The last number is larger than any that is exact.'],
  ])('from %s, %s of them, is refused with a sentence', (start, count, sentence) => {
    expect(understandRange(start, count)).toEqual({ sentence, line: null });
  });
});
