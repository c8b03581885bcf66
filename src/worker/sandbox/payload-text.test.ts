import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isPayloadText } from './payload-text.ts';

function parses(text: string): boolean {
  try {
    JSON.parse(text, (_, value: unknown) => {
      if (value === Infinity || value === -Infinity) throw new RangeError('Not finite.');
      return value;
    });
    return true;
  } catch {
    return false;
  }
}

test('takes whatever JSON.stringify writes', () => {
  fc.assert(
    fc.property(
      fc.jsonValue({ maxDepth: 6 }),
      fc.constantFrom(undefined, 2, '\t'),
      (value, indent) => {
        expect(isPayloadText(JSON.stringify(value, null, indent))).toBe(true);
      },
    ),
    { numRuns: 500 },
  );
});

test('agrees with JSON.parse about texts that were changed anywhere', () => {
  const piece = fc.constantFrom(
    ...'{}[]",:\\/u0aeE+-.19 tfn\n\u0000\u00a0é'.split(''),
    'null',
    'true',
    '\\u00',
  );
  const place = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(
    fc.property(
      fc.json({ maxDepth: 3 }),
      piece,
      place,
      fc.nat(2),
      (json, added, share, removed) => {
        const at = Math.floor(share * json.length);
        const text = json.slice(0, at) + added + json.slice(at + removed);
        expect([text, isPayloadText(text)]).toEqual([text, parses(text)]);
      },
    ),
    { numRuns: 5000 },
  );
});

test('agrees with JSON.parse about long strings with something else anywhere in them', () => {
  const odd = fc.constantFrom(
    '"',
    '\\',
    '\\"',
    '\\n',
    '\\u00e9',
    '\\x',
    '\n',
    '\u0000',
    '\u007f',
    'é',
    '\ud800',
  );
  fc.assert(
    fc.property(
      fc.nat(300),
      fc.array(fc.tuple(odd, fc.nat(150)), { maxLength: 4 }),
      (before, parts) => {
        const inside = parts.map(([one, after]) => one + 'x'.repeat(after)).join('');
        const text = `["${'x'.repeat(before)}${inside}",1]`;
        expect([text, isPayloadText(text)]).toEqual([text, parses(text)]);
      },
    ),
    { numRuns: 2000 },
  );
});

test.each([
  '0',
  '-0',
  '-1.5e+3',
  '1E-400',
  '1e308',
  ' [ ] ',
  '{ "a" : 1 , "a" : { } }',
  '"\\ud800"',
  '"\ud800"',
])('takes %j', (text) => {
  expect(parses(text)).toBe(true);
  expect(isPayloadText(text)).toBe(true);
});

test.each([
  '',
  ' ',
  '01',
  '-',
  '1.',
  '.5',
  '1e',
  '+1',
  '1,2',
  '{}}',
  '[1,]',
  '[,1]',
  '{"a"}',
  '{"a":}',
  '{"a":1,}',
  '{1:1}',
  "'a'",
  '"a',
  '"\\x41"',
  '"\\u12g4"',
  '"\\u12',
  '"\n"',
  'nul',
  'nulls',
  'True',
  'NaN',
  '[}',
  '{]',
  '[1}',
  '\ufeff1',
])('refuses %j', (text) => {
  expect(parses(text)).toBe(false);
  expect(isPayloadText(text)).toBe(false);
});

test('refuses numbers that no double can hold, as the coordinator does', () => {
  expect(['1e309', '-1e999', `1${'0'.repeat(309)}`].map(isPayloadText)).toEqual([
    false,
    false,
    false,
  ]);
  expect(isPayloadText(`0.${'1'.repeat(500)}`)).toBe(true);
});

test('refuses what is nested deeper than a result may be, however deep', () => {
  const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
  expect(isPayloadText(nested(990))).toBe(true);
  expect(isPayloadText(nested(991))).toBe(false);
  expect(isPayloadText('{"a":'.repeat(1_000_000))).toBe(false);
});

test('remembers nothing of the text before', () => {
  expect(isPayloadText('{"a":[{')).toBe(false);
  expect(isPayloadText('[1]')).toBe(true);
});

/** The least whole number that is no double any more. */
const tooMuch = 2n ** 1024n - 2n ** 970n;

test.each([
  String(tooMuch - 1n),
  `${String(tooMuch - 1n)}.9`,
  `-${String(tooMuch - 1n)}`,
  '1.7976931348623157e308',
  '1.7976931348623158e+308',
  `0.${'0'.repeat(700)}9e1008`,
  `${'9'.repeat(400)}e-100`,
  `1e${'0'.repeat(400)}308`,
  '0e999999999999999999999',
  '0.000e400',
])('takes the number %s, wherever it stands', (number) => {
  for (const before of ['', '[', '[1,', `[${'1,'.repeat(100)}`, `{"a":${' '.repeat(255)}`]) {
    const text = before + number + ({ '[': ']', '{': '}' }[before[0] ?? ''] ?? '');
    expect(parses(text)).toBe(true);
    expect(isPayloadText(text)).toBe(true);
  }
});

test.each([
  String(tooMuch),
  `-${String(tooMuch)}.0`,
  '9'.repeat(309),
  '1'.repeat(3000),
  '1.7976931348623159e308',
  '1.8e308',
  '2e308',
  '0.2e309',
  '0.0017976931348623159e311',
  '12345678901e299',
  `${'9'.repeat(410)}e-100`,
])('refuses the number %s, wherever it stands', (number) => {
  for (const before of ['', '[', '[1,', `[${'1,'.repeat(100)}`, `{"a":${' '.repeat(255)}`]) {
    const text = before + number + ({ '[': ']', '{': '}' }[before[0] ?? ''] ?? '');
    expect(parses(text)).toBe(false);
    expect(isPayloadText(text)).toBe(false);
  }
});

test('agrees with JSON.parse about numbers near the greatest', () => {
  const digits = fc.string({
    unit: fc.constantFrom(...'0123456789'.split('')),
    minLength: 1,
    maxLength: 20,
  });
  const whole = digits.map((each) => each.replace(/^0+(?=.)/, ''));
  const near = fc.constantFrom(
    '17976931348623157',
    '17976931348623158',
    '1797693134862315807',
    '9',
  );
  const power = fc.integer({ min: 280, max: 330 });
  fc.assert(
    fc.property(fc.oneof(whole, near), digits, power, fc.nat(25), (start, rest, high, zeros) => {
      for (const number of [
        `${start}.${rest}e${high}`,
        `-${start}e+${high - start.length}`,
        `${start}e${high - start.length}`,
        `0.${'0'.repeat(zeros)}${start}E${high + zeros - 20}`,
        `${start}${'0'.repeat(high - start.length)}.${rest}`,
      ]) {
        expect([number, isPayloadText(`[${number},1]`)]).toEqual([number, parses(number)]);
        expect([number, isPayloadText(number)]).toEqual([number, parses(number)]);
      }
    }),
    { numRuns: 1000 },
  );
});
