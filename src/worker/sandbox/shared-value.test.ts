import { expect, test } from 'vitest';
import { parseShared, sharedOf } from './shared-value.ts';

const sha256 = 'ab'.repeat(32);
const blobs: Readonly<Record<string, string>> = { [sha256]: '{"rate":[1,2]}' };
const source = (json: string | null) => ({
  json,
  bytesOf: (name: string) => new TextEncoder().encode(blobs[name]),
  toText: (bytes: Uint8Array) => new TextDecoder().decode(bytes),
});

test.each([
  ['{"a":1}', { json: '{"a":1}' }],
  [`{"$blob":"${sha256}"}`, { json: '{"rate":[1,2]}' }],
  [` { "$blob" : "${sha256}" } `, { json: '{"rate":[1,2]}' }],
  [`{"$bytes":"${sha256}"}`, { bytes: new TextEncoder().encode('{"rate":[1,2]}') }],
  // Only a whole value is a reference, and only one that has its form.
  [`[{"$blob":"${sha256}"}]`, { json: `[{"$blob":"${sha256}"}]` }],
  [`{"$blob":"${sha256}","a":1}`, { json: `{"$blob":"${sha256}","a":1}` }],
  ['{"$blob":"../x"}', { json: '{"$blob":"../x"}' }],
])('%s is read', (json, value) => {
  expect(sharedOf(source(json))).toEqual(value);
});

test('none is null', () => {
  expect(parseShared(sharedOf(source(null)))).toBeNull();
});

test('is frozen all the way down, however deep', () => {
  const value = parseShared({ json: '{"a":[{"b":{}}],"__proto__":{"c":[]}}' }) as {
    a: { b: object }[];
  };
  const own = Object.getOwnPropertyDescriptor(value, '__proto__')!.value as { c: unknown[] };
  for (const part of [value, value.a, value.a[0], value.a[0]!.b, own, own.c]) {
    expect(Object.isFrozen(part)).toBe(true);
  }
  const deep = parseShared({ json: '['.repeat(5000) + ']'.repeat(5000) }) as unknown[];
  expect(Object.isFrozen(deep[0])).toBe(true);
});

test('that is no JSON is a fault of the program', () => {
  expect(() => parseShared({ json: '{' })).toThrow('the shared value is not JSON');
});
