import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { jsonFault } from './json-fault.ts';

class Point {
  x = 1;
  norm(): number {
    return this.x;
  }
}
class Row {
  id = 1;
}

const shared = { a: 1 };
const loop: Record<string, unknown> = { name: 'loop' };
loop['again'] = [loop];

test.each([
  ['a Date', { when: new Date(0) }, 'it.when is a Date: use toISOString()'],
  [
    'a Date of another realm',
    [runInNewContext('new Date(0)')],
    'it[0] is a Date: use toISOString()',
  ],
  ['a Map', [new Map()], 'it[0] is a Map: use Array.from(it)'],
  ['a Set', { 'a b': new Set() }, 'it["a b"] is a Set: use Array.from(it)'],
  ['a typed array', new Float64Array(2), 'it is a Float64Array: use Array.from(it)'],
  ['a buffer', Buffer.from('a'), 'it is a Buffer: use Array.from(it)'],
  ['bytes', new ArrayBuffer(1), 'it is an ArrayBuffer: use Array.from(new Uint8Array(it))'],
  ['NaN', [[0, Number.NaN]], 'it[0][1] is NaN, which JSON does not have: use null'],
  ['Infinity', { a: -Infinity }, 'it.a is -Infinity, which JSON does not have: use null'],
  ['a BigInt', 1n, 'it is a BigInt: use String(it)'],
  ['a symbol', [Symbol('s')], 'it[0] is a symbol, which JSON does not have'],
  ['a function', { f: () => 1 }, 'it.f is a function, which JSON does not have'],
  ['undefined', undefined, 'it is undefined: use null'],
  // oxlint-disable-next-line no-sparse-arrays -- a hole is what is tested
  ['a hole', [1, , 2], 'it[1] is undefined: use null'],
  ['a promise', { p: Promise.resolve(1) }, 'it.p is a promise that nobody awaited'],
  ['a cycle', loop, 'it.again[0] contains itself, and JSON has no cycles'],
  ['an object with methods', new Point(), 'it is a Point, not plain data: use { ...it }'],
  [
    'one with a form of its own',
    new URL('http://a'),
    'it is a URL, not plain data: use its toJSON()',
  ],
  ['a regular expression', /a/, 'it is a RegExp, not plain data'],
])('%s is named with its path and the way out', (_what, value, sentence) => {
  expect(jsonFault(value, 'it')).toBe(sentence);
});

function nested(levels: number): unknown {
  let value: unknown[] = [];
  for (let level = 1; level < levels; level++) value = [1, value];
  return value;
}

test.each([1001, 5000, 200_000])('a value of %i levels is refused in a sentence', (levels) => {
  expect(jsonFault(nested(levels), 'it')).toBe(
    'it is nested deeper than 1000 levels: make a list of its parts that name one another',
  );
  expect(jsonFault(nested(1000), 'it')).toBeNull();
});

test.each([
  ['values', [0, 1, -0.5, 'two', true, null, { three: [] }]],
  ['a key that is undefined: it reads the same', { a: undefined }],
  ['an object without a prototype', Object.assign(Object.create(null), { a: 1 })],
  ['an object of another realm', runInNewContext('({ a: [1] })')],
  ['an object of a class that has no methods', new Row()],
  ['one value in two places', { one: shared, other: [shared] }],
])('%s passes', (_what, value) => {
  expect(jsonFault(value, 'it')).toBeNull();
});
