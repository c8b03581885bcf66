import { expect, test } from 'vitest';
import { withSigns } from './signs-of-life.ts';

test('signs of life come while there are no items, and an item comes at once', async () => {
  const silence = Promise.withResolvers<void>();
  async function* items() {
    yield 'first';
    await silence.promise;
    yield 'second';
  }
  const seen: string[] = [];
  for await (const item of withSigns(items(), 'sign', 1)) {
    seen.push(item);
    if (seen.length === 4) silence.resolve();
  }
  expect(seen.slice(0, 4)).toEqual(['first', 'sign', 'sign', 'sign']);
  expect(seen.at(-1)).toBe('second');
});

test('a reader that stops ends the stream behind it', async () => {
  let isEnded = false;
  async function* endless() {
    try {
      for (;;) yield 'item';
    } finally {
      isEnded = true;
    }
  }
  for await (const item of withSigns(endless(), 'sign')) if (item === 'item') break;
  expect(isEnded).toBe(true);
});
