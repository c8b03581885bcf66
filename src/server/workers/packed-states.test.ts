// What is said of a packed state is compared with it, as far as that costs next to nothing.

import { hash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { PackedStates } from './packed-states.ts';

const text = '{"at":7}';
const zipped = gzipSync(text);
const base64 = zipped.toString('base64');
const sha256 = hash('sha256', text);

test('a state that is what is said of it has no problem', () => {
  expect(new PackedStates().problemOf(base64, sha256, text.length)).toBeNull();
});

test.each([
  [
    'the hash of the gzip',
    base64,
    hash('sha256', zipped),
    8,
    'sha256 is not that of the JSON text',
  ],
  ['a size that is too small', base64, sha256, 7, 'more than the 7 bytes of JSON'],
  ['a size that is too large', base64, sha256, 9, '9 was given, it has 8.'],
  ['a size of nothing', base64, sha256, 0, 'more than the 0 bytes of JSON'],
  ['what is no gzip', Buffer.from('hello').toString('base64'), sha256, 8, 'is not gzip'],
])('%s is told', (_, state, sum, size, sentence) => {
  expect(new PackedStates().problemOf(state, sum, size)).toContain(sentence);
});

test.each(['', '{nope', '1},"input":666,"zz":{"a":1', '1 2', '\u00ff'])(
  '%j is told not to be JSON',
  (other) => {
    const bytes = Buffer.from(other, 'latin1');
    const packed = gzipSync(bytes).toString('base64');
    const problem = new PackedStates().problemOf(packed, hash('sha256', bytes), bytes.length);
    expect(problem).toContain('The text in state_gzip is not ');
  },
);

test('a bomb is told before it is large', () => {
  const bomb = gzipSync(Buffer.alloc(5_000_000)).toString('base64');
  expect(new PackedStates().problemOf(bomb, sha256, 1_000)).toContain('more than the 1000 bytes');
});

test('large states, and those beyond the first of a frame, are not looked at', () => {
  const states = new PackedStates();
  expect(states.problemOf(base64, sha256, 16 * 1024 + 1)).toBeNull();
  const large = 'x'.repeat(16_000);
  const wrong = () => states.problemOf(gzipSync(large).toString('base64'), sha256, large.length);
  for (let i = 0; i < 4; i++) expect(wrong()).toContain('sha256');
  expect(wrong()).toBeNull();
});
