import { expect, test } from 'vitest';
import { createColors } from './colors.ts';
import { cutToWidth, widthOf } from './text-width.ts';

test.each([
  ['plain', 5],
  ['', 0],
  ['grün', 4],
  ['e\u0301', 1],
  ['日本語', 6],
  ['ｶﾅ', 2],
  ['ｆｕｌｌ', 8],
  ['한국', 4],
  ['\u1112\u1161\u11ab', 2],
  ['🙂', 2],
  ['❤', 1],
  ['❤\ufe0f', 2],
  ['🇨🇭', 2],
  ['\u{20000}', 2],
  ['…─', 2],
])('%s takes so many columns: %d', (text, columns) => {
  expect(widthOf(text)).toBe(columns);
  expect(widthOf(createColors(true).red(text))).toBe(columns);
});

test('a text is cut between characters, with a mark', () => {
  expect(cutToWidth('日本語', 6)).toBe('日本語');
  expect(cutToWidth('日本語', 5)).toBe('日本…');
  expect(cutToWidth('日本語', 4)).toBe('日…');
  expect(cutToWidth('日本語', 5, '')).toBe('日本');
  expect(cutToWidth('abcdef', 4)).toBe('abc…');
  expect(cutToWidth('e\u0301e\u0301e\u0301', 2)).toBe('e\u0301…');
});
