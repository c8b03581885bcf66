import { expect, test } from 'vitest';
import { RawJson } from '../../protocol/codec.ts';
import { inputLines } from './input-text.ts';

test('a short input stands there as it is, whatever it is', () => {
  expect(inputLines({ input: { rate: 0.5 } }, 80)).toEqual(['input: {"rate":0.5}']);
  expect(inputLines({ input: null }, 80)).toEqual(['input: null']);
});

test('its numbers have the digits that were sent', () => {
  const input = new RawJson('[123456789012345678901234567890,1.0]');
  expect(inputLines({ input }, 80)).toEqual(['input: [123456789012345678901234567890,1.0]']);
});

test('a long one is cut to the line, with its size and the flag for the whole', () => {
  const [line = ''] = inputLines({ input: { text: 'x'.repeat(2_000) } }, 80);
  expect(line).toHaveLength(80);
  expect(line).toMatch(/^input: \{"text":"x+… \(2[  ,]?011 characters, the whole: --input\)$/);
});

test('one that lies in a blob is named by its reference', () => {
  const $blob = 'ab'.repeat(32);
  expect(inputLines({ input: { $blob } }, 80)).toEqual([
    `input: kept as a blob, {"$blob":"${$blob}"} (the whole: --input)`,
  ]);
});

test('one that cannot be read says why, and of one that is not told nothing is said', () => {
  expect(inputLines({ input_problem: 'It is damaged.' }, 80)).toEqual(['input: It is damaged.']);
  expect(inputLines({}, 80)).toEqual([]);
});
