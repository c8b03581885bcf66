import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { everyElement, Place } from './json-places.ts';
import { JsonScanner } from './json-scanner.ts';
import { deepestNesting } from './limits.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text);
const textOf = (bytes: Uint8Array) => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);

function scanned(bytes: Uint8Array, root: Place | null = null, slice = Infinity): JsonScanner {
  const scanner = new JsonScanner(bytes, root);
  while (!scanner.scan(slice));
  return scanner;
}

const problemOf = (text: string) => scanned(bytesOf(text)).problem;

const frame = Place.tree([
  { steps: ['results', everyElement, 'value'], cut: 'value' },
  { steps: ['checkpoints', everyElement, 'state'], cut: 'value' },
  { steps: [everyElement, 'results', everyElement, 'value'], cut: 'value' },
]);
const body = Place.tree([{ steps: ['inputs'], cut: 'list' }]);

/** The payloads of a text as texts; those of a list in an array. */
function payloads(text: string, root: Place, slice?: number): (string | string[])[] {
  const bytes = bytesOf(text);
  const scanner = scanned(bytes, root, slice);
  expect(scanner.problem).toBe(null);
  return scanner.cuts.map(({ from, to, elements }) => {
    if (elements === null) return textOf(bytes.subarray(from, to));
    const texts: string[] = [];
    for (let i = 0; i < elements.length; i += 2) {
      texts.push(textOf(bytes.subarray(elements.at(i), elements.at(i + 1))));
    }
    return texts;
  });
}

describe('takes and refuses what JSON.parse does', () => {
  const isTaken = (text: string) => {
    try {
      JSON.parse(text);
      return true;
    } catch {
      return false;
    }
  };

  test('of JSON texts and of texts that are broken in one place', () => {
    const spoil = fc.tuple(
      fc.nat(),
      fc.nat(2),
      fc.constantFrom(...Array.from('{}[]",:\\ \n\t019.eE+-truefalsn')),
    );
    fc.assert(
      fc.property(fc.json(), fc.option(spoil), (whole, broken) => {
        let text = whole;
        if (broken !== null) {
          const [place, length, put] = broken;
          const at = place % (whole.length + 1);
          text = whole.slice(0, at) + put + whole.slice(at + length);
        }
        // A surrogate alone cannot be said in UTF-8; a number without end is a rule of ours.
        const isOurs = !text.isWellFormed() || problemOf(text)?.startsWith('out of range') === true;
        fc.pre(!isOurs);
        expect([text, problemOf(text) === null]).toEqual([text, isTaken(text)]);
      }),
      { numRuns: 2000 },
    );
  });

  test('of long texts with something else anywhere in them', () => {
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
      '😀',
    );
    const parts = fc.array(fc.tuple(odd, fc.nat(150)), { maxLength: 4 });
    fc.assert(
      fc.property(fc.nat(300), parts, fc.integer({ min: 1, max: 200 }), (before, odds, slice) => {
        const inside = odds.map(([one, after]) => one + 'x'.repeat(after)).join('');
        const text = `["${'x'.repeat(before)}${inside}",1]`;
        const { problem } = scanned(bytesOf(text), null, slice);
        expect([text, problem === null]).toEqual([text, isTaken(text)]);
      }),
      { numRuns: 2000 },
    );
  });

  test('of any characters', () => {
    const characters = fc.string({
      unit: fc.constantFrom(...Array.from('{}[]",:\\ \n019.eE+-tru/u0é\u0001')),
    });
    fc.assert(
      fc.property(characters, (text) => {
        expect([text, problemOf(text) === null]).toEqual([text, isTaken(text)]);
      }),
      { numRuns: 2000 },
    );
  });

  const broken = [
    ['', ' ', '\ufeff1', '01', '-', '-01', '1.', '.5', '1e', '1e+', '+1', '0x1', 'NaN', 'Infinity'],
    ['"', '"\\"', '"\\x"', '"\\u12"', '"\\u123g"', '"\n"', "'a'", 'nul', 'nulll', 'True'],
    ['[', ']', '[1', '[1,', '[1,]', '[,1]', '[1 2]', '[1}', '{', '}', '{1:2}', '{"a"}', '{"a":}'],
    ['{"a":1,}', '{"a":1]', '{"a" 1}', '1 2', '[]]', '{}{}', '[1],', '/**/1', '1\u00a0', '[\v]'],
  ].flat();

  test.each(broken)('refuses %j', (text) => {
    expect(isTaken(text)).toBe(false);
    expect(problemOf(text)).toMatch(/^not valid JSON \(.+\)$/);
  });
});

test('cuts payloads as they were sent, whatever the slices', () => {
  const payload = fc.oneof(fc.json(), fc.constantFrom('1.50', '12345678901234567890', '[ 1 , 2 ]'));
  const entries = fc.array(fc.tuple(fc.string({ unit: 'grapheme' }), payload), { maxLength: 5 });
  fc.assert(
    fc.property(entries, fc.integer({ min: 1, max: 40 }), (made, slice) => {
      fc.pre(made.every(([, text]) => text.isWellFormed()));
      const results = made.map(([id, text]) => `{"id":${JSON.stringify(id)},"value": ${text} }`);
      const whole = `[{"type":"result","results":[${results.join()}],"value":[1]}]`;
      const cut = payloads(whole, frame, slice);
      expect(cut).toEqual(made.map(([, text]) => text.trim()));
      const list = `{"inputs" : [${made.map(([, text]) => text).join(' ,\n')}], "name":"x"}`;
      expect(payloads(list, body, slice)).toEqual([made.map(([, text]) => text.trim())]);
    }),
    { numRuns: 500 },
  );
});

describe('the place of a payload', () => {
  test.each<[string, string, Place, (string | string[])[]]>([
    ['is found when its keys have escapes', '{"r\\u0065sults":[{"valu\\u0065":1}]}', frame, ['1']],
    [
      'is found twice when its key is given twice',
      '{"results":[{"value":1,"value":2}]}',
      frame,
      ['1', '2'],
    ],
    ['is not in a deeper object', '{"results":[{"x":{"value":1}}]}', frame, []],
    ['is not in an array of another key', '{"result":[{"value":1}]}', frame, []],
    ['is not in an object where an array belongs', '{"results":{"0":{"value":1}}}', frame, []],
    [
      'is not in a payload',
      '{"results":[{"value":{"results":[{"value":1}]}}]}',
      frame,
      ['{"results":[{"value":1}]}'],
    ],
    ['may hold an empty list', '{"inputs":[ ]}', body, [[]]],
    ['may hold something that is no list', '{"inputs":{"range":{}}}', body, []],
    ['may hold lists of lists', '{"inputs":[[1],[],[[2],3]]}', body, [['[1]', '[]', '[[2],3]']]],
  ])('%s', (_name, text, root, expected) => {
    expect(payloads(text, root)).toEqual(expected);
  });
});

test('finds a payload of any depth, and says when it is too deep', () => {
  for (const depth of [900, 1100, 5000]) {
    const deep = `${'[{"a":'.repeat(depth / 2)}1${'}]'.repeat(depth / 2)}`;
    const text = `{"results":[{"value":${deep}},{"value":[2]}],"type":"result"}`;
    const scanner = scanned(bytesOf(text), frame, 100);
    expect(scanner.problem).toBe(null);
    const cuts = scanner.cuts.map(({ from, to }) => text.slice(from, to));
    expect(cuts).toEqual([deep, '[2]']);
    expect(scanner.cuts.map(({ isTooDeep }) => isTooDeep)).toEqual([depth > 1000, false]);
  }
  const mixed = `{"results":[{"value":${'['.repeat(3000)}${'}'.repeat(3000)}}]}`;
  expect(scanned(bytesOf(mixed), frame).problem).toContain('unexpected "}"');
  const list = `{"inputs":[${'['.repeat(3000)}${']'.repeat(3000)}]}`;
  expect(scanned(bytesOf(list), body).problem).toBe('nested deeper than 1000 levels');
});

test('counts values and keys outside of payloads', () => {
  const count = (text: string, root: Place) => scanned(bytesOf(text), root).count;
  expect(count('{"results":[{"id":1,"value":[1,2,3]}]}', frame)).toBe(7);
  expect(count('{"inputs":[1,2,3]}', body)).toBe(3);
  expect(count('[1,[2],"x",null]', body)).toBe(6);
});

describe('is stricter than JSON.parse', () => {
  test('with nesting', () => {
    const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
    expect(problemOf(nested(deepestNesting))).toBe(null);
    expect(problemOf(nested(deepestNesting + 1))).toBe('nested deeper than 1000 levels');
    expect(problemOf('{"a":'.repeat(deepestNesting + 1))).toBe('nested deeper than 1000 levels');
    expect(problemOf(`["${'['.repeat(5000)}"]`)).toBe(null);
  });

  test.each([
    ['1e308', true],
    ['1.7976931348623157e308', true],
    ['1.7976931348623158e308', true],
    ['1.7976931348623159e308', false],
    ['-1e309', false],
    ['1e999999999999999999', false],
    ['1e-999999999999999999', true],
    ['0e999', true],
    ['0.00e+999', true],
    ['9'.repeat(308), true],
    [`-${'9'.repeat(309)}`, false],
    [`1${'0'.repeat(309)}`, false],
    [`1${'0'.repeat(400)}e-100`, true],
    [`0.${'0'.repeat(400)}1e700`, true],
    [`0.${'0'.repeat(400)}1e710`, false],
    [`0.${'0'.repeat(400)}1e-710`, true],
  ])('with a number near the border: %#', (text, isFine) => {
    expect(Number.isFinite(Number(text))).toBe(isFine);
    const expected = isFine
      ? null
      : 'out of range: it holds a number that is not finite at column 1';
    expect(problemOf(text)).toBe(expected);
  });

  test('with numbers as the engine is, at the border to infinity', () => {
    const digits = fc.string({
      unit: fc.constantFrom(...Array.from('0123456789')),
      minLength: 1,
      maxLength: 340,
    });
    const sign = fc.constantFrom('', '+', '-');
    const number = fc
      .tuple(digits, fc.option(digits), fc.option(fc.tuple(sign, fc.integer({ min: 0, max: 700 }))))
      .map(([whole, part, exponent]) => {
        const power = exponent === null ? '' : `e${exponent[0]}${exponent[1]}`;
        return `${whole.replace(/^0+(?=.)/, '')}${part === null ? '' : `.${part}`}${power}`;
      });
    fc.assert(
      fc.property(number, (text) => {
        expect([text, problemOf(text) === null]).toEqual([text, Number.isFinite(Number(text))]);
      }),
      { numRuns: 1000 },
    );
  });

  test('with bytes that are not UTF-8', () => {
    const fatal = new TextDecoder('utf-8', { fatal: true });
    const isUtf8 = (bytes: Uint8Array) => {
      try {
        fatal.decode(bytes);
        return true;
      } catch {
        return false;
      }
    };
    const high = fc.uint8Array({ min: 0x80, minLength: 1, maxLength: 4 });
    const pieces = fc.oneof(high, fc.string({ unit: 'binary' }).map(bytesOf));
    fc.assert(
      fc.property(pieces, (piece) => {
        fc.pre(piece.every((byte) => byte >= 0x20 && byte !== 0x22 && byte !== 0x5c));
        const bytes = new Uint8Array([0x22, ...piece, 0x22]);
        const problem = scanned(bytes).problem;
        expect([piece, problem?.startsWith('not UTF-8') ?? false]).toEqual([piece, !isUtf8(bytes)]);
      }),
      {
        numRuns: 1000,
        examples: [[new Uint8Array([0xed, 0xa0, 0x80])], [new Uint8Array([0xc0, 0x80])]],
      },
    );
  });
});

test('says where the text is broken', () => {
  expect(problemOf('{"a": tru}')).toBe('not valid JSON (unexpected "}" at column 10)');
  expect(problemOf('{\n  "a": 1,\n  b: 2\n}')).toBe(
    'not valid JSON (unexpected "b" in line 3 at column 3)',
  );
  expect(problemOf('[1, 2')).toBe('not valid JSON (it ends too early, after 5 bytes)');
});

test('reads a part of the bytes only, when it is told to', () => {
  const bytes = bytesOf('xx[1]]');
  const part = new JsonScanner(bytes, null, { from: 2, to: 5 });
  expect([part.scan(), part.problem]).toEqual([true, null]);
});

describe('looks at every byte once', () => {
  // Counted, not timed: how often the scanner asks for a byte.
  function reads(text: string): number {
    let count = 0;
    const bytes = new Proxy(bytesOf(text), {
      get(target, name) {
        if (typeof name === 'string' && /^\d+$/.test(name)) count++;
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const scanner = new JsonScanner(bytes, body);
    while (!scanner.scan(1000));
    return count / text.length;
  }

  test.each([
    ['texts of digits', `["${'1'.repeat(307)}",${`"${'1'.repeat(307)}",`.repeat(100)}1]`],
    ['one long number', '9'.repeat(30_000)],
    ['many numbers with large exponents', `[${'1.79e308,'.repeat(3000)}1]`],
    ['long keys with escapes', `{${`"${'\\u0061'.repeat(30)}":1,`.repeat(100)}"a":1}`],
    ['white space', ' '.repeat(30_000)],
  ])('or a few times: %s', (_name, text) => {
    expect(reads(text)).toBeLessThan(8);
  });
});
