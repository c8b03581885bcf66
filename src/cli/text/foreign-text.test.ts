import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { plainLines, plainText } from './foreign-text.ts';

describe('what hides, reorders or forges is shown as an escape:', () => {
  test.each([
    ['a colour', '\u001b[31mred', '\\u001b[31mred'],
    ['what makes invisible', '\u001b[8mhidden\u001b[m', '\\u001b[8mhidden\\u001b[m'],
    ['what moves the cursor', '\u001b[2J\u001b[1A', '\\u001b[2J\\u001b[1A'],
    ['a title', '\u001b]0;title\u0007', '\\u001b]0;title\\u0007'],
    ['a backspace', 'evil\b\b\b\bgood', 'evil\\u0008\\u0008\\u0008\\u0008good'],
    ['the sequence introducer of eight bits', '\u009b31m', '\\u009b31m'],
    ['the next line of eight bits', '\u0085', '\\u0085'],
    ['delete', '\u007f', '\\u007f'],
    ['an override of direction', 'a\u202ecod.exe', 'a\\u202ecod.exe'],
    [
      'embeddings and isolates',
      '\u202a\u202b\u202c\u202d\u2066\u2067\u2068\u2069',
      '\\u202a\\u202b\\u202c\\u202d\\u2066\\u2067\\u2068\\u2069',
    ],
    ['marks of direction', '\u200e\u200f\u061c', '\\u200e\\u200f\\u061c'],
    [
      'zero-width characters',
      'a\u200b\u200c\u200d\u2060\ufeffb',
      'a\\u200b\\u200c\\u200d\\u2060\\ufeffb',
    ],
    ['a soft hyphen', 'a\u00adb', 'a\\u00adb'],
    ['tags', '\u{e0041}\u{e007f}', '\\udb40\\udc41\\udb40\\udc7f'],
    ['variation selectors that carry data', '\u{e0100}', '\\udb40\\udd00'],
    ['letters that are blank', '\u3164\u115f\uffa0', '\\u3164\\u115f\\uffa0'],
    ['separators', 'a\u2028b\u2029c', 'a\\u2028b\\u2029c'],
    ['half a character', 'a\ud800b\udc00', 'a\\ud800b\\udc00'],
    ['annotations', '\ufff9\ufffa\ufffb', '\\ufff9\\ufffa\\ufffb'],
  ])('%s', (_what, text, shown) => {
    expect(plainText(text)).toBe(shown);
    expect(plainLines(text)).toBe(shown);
  });
});

test.each([
  'plain',
  'Zoë',
  'Ελληνικά',
  '日本語',
  'שלום',
  'مرحبا',
  'किताब',
  '🙂',
  '❤️',
  '1 000',
  'a\\b',
])('what is to be read stays as it is: %s', (text) => {
  expect(plainText(text)).toBe(text);
  expect(plainLines(text)).toBe(text);
});

test('a part of a line breaks no line; lines stay apart, but nothing returns to their begin', () => {
  expect(plainText('one\ntwo\r\nthree\tfour')).toBe('one two three four');
  expect(plainLines('one\ntwo\r\nthree\rfour\tfive')).toBe('one\ntwo \nthree four five');
});

test('the JSON text of any value keeps its value', () => {
  const text = fc.string({ unit: 'binary' });
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: 'binary' }), text, (value, more) => {
      const given = JSON.stringify({ [more]: value });
      const shown = plainLines(given);
      expect(JSON.parse(shown)).toEqual(JSON.parse(given));
      expect(shown).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
    }),
  );
});
