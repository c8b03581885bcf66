import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fromBase64, toBase64 } from './base64.ts';
import { savedStateOf, stateJsonOf } from './saved-state.ts';

const encode = (text: string) => new TextEncoder().encode(text);

test.each([
  ['', ''],
  ['f', 'Zg=='],
  ['fo', 'Zm8='],
  ['foo', 'Zm9v'],
  ['foob', 'Zm9vYg=='],
  ['fooba', 'Zm9vYmE='],
  ['foobar', 'Zm9vYmFy'],
])('base64 of "%s", as RFC 4648 has it', (text, base64) => {
  expect(toBase64(encode(text))).toBe(base64);
  expect(fromBase64(base64)).toEqual(encode(text));
});

test('base64 is what Node makes, however long', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 9_000 }), (bytes) => {
      const base64 = toBase64(bytes);
      expect(base64).toBe(Buffer.from(bytes).toString('base64'));
      expect(fromBase64(base64)).toEqual(bytes);
    }),
    { numRuns: 30 },
  );
});

test.each(['A', 'AB', 'ABC', '====', 'A===', 'AB=C', 'AB\n=', 'ABC-', 'ÄBCD', 'ABCD='])(
  'no base64: %j',
  (text) => {
    expect(fromBase64(text)).toBeNull();
  },
);

test('JSON text is kept as it is, and other bytes come back', () => {
  expect(stateJsonOf({ bytes: encode(' {"a": 1}\n'), random: null })).toBe(' {"a": 1}\n');
  expect(stateJsonOf({ bytes: encode('no JSON'), random: null })).toBe(
    '{"$base64":"bm8gSlNPTg=="}',
  );
  expect(stateJsonOf({ bytes: encode('7'), random: [1, 2, 3, 4] })).toBe(
    '{"$muster_random":[1,2,3,4],"state":7}',
  );
});

test('every state comes back as it was, also one that looks like a wrapped one', () => {
  const texts = fc.oneof(
    fc.json(),
    fc.constantFrom(
      '{"$base64":"AAAA"}',
      ' {"$base64":"AAAA"}',
      '{"$muster_random":null,"state":1}',
      '{"$muster_random":[1,2,3,4],"state":{"$base64":"AA=="}}',
      '',
    ),
    fc.string(),
  );
  const bytes = fc.oneof(texts.map(encode), fc.uint8Array());
  const words = fc.tuple(fc.integer(), fc.integer(), fc.integer(), fc.integer());
  fc.assert(
    fc.property(bytes, fc.option(words), (state, random) => {
      const json = stateJsonOf({ bytes: state, random });
      expect(() => JSON.parse(json) as unknown).not.toThrow();
      expect(savedStateOf(json)).toEqual({ bytes: state, random });
    }),
  );
});

test.each([
  '{"$base64":7}',
  '{"$base64":"A"}',
  '{"$base64":"AAAA"',
  '{"$muster_random":[1,2,3,4]}',
  '{"$muster_random":[1,2,3],"state":1}',
  '{"$muster_random":[1,2,3,1.5],"state":1}',
  '{"$muster_random":"x","state":1}',
])('no state: %s', (json) => {
  expect(savedStateOf(json)).toBeNull();
});
