import { expect, test } from 'vitest';
import { folded, textOfValue } from './payload.ts';

test('values are JSON, texts are themselves', () => {
  expect(textOfValue({ a: [1] })).toBe('{\n  "a": [\n    1\n  ]\n}');
  expect(textOfValue('one\ntwo')).toBe('one\ntwo');
  expect(textOfValue(null)).toBe('null');
  expect(textOfValue(undefined)).toBe('null');
});

test('what is longer than 4 kB is folded, and says how long it is', () => {
  const text = 'é'.repeat(5_000);
  const shown = folded(text, false);
  expect([shown.text.length, shown.bytes, shown.isFolded]).toEqual([4_096, 10_000, true]);
  expect(folded(text, true)).toEqual({ text, bytes: 10_000, isFolded: false });
  expect(folded('short', false).isFolded).toBe(false);
});

test('no character is cut in two', () => {
  const shown = folded(`x${'😀'.repeat(4_000)}`, false);
  expect(shown.text.length).toBe(4_095);
  expect(shown.text.endsWith('😀')).toBe(true);
});
