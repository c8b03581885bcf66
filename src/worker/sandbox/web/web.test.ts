// What programs find beside the language, compared with what the platform of these tests has.

import { describe, expect, test } from 'vitest';
import { makeBase64 } from './base64.ts';
import { makeCrypto } from './crypto.ts';
import { makeStillDate } from './still-date.ts';
import { makeStructuredClone } from './structured-clone.ts';
import { makeTextCoding } from './text-coding.ts';
import { makeUrl } from './url.ts';
import { makeUrlHosts } from './url-hosts.ts';
import { makeUrlParser } from './url-parser.ts';

const ours = {
  ...makeTextCoding(),
  ...makeUrl(makeUrlParser(makeUrlHosts())),
  ...makeBase64(),
  ...makeStructuredClone(),
};

/** The value, or that it was refused. */
function endOf(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    return { refused: (error as Error).name };
  }
}

/** Texts of pieces, the same at every run. */
function texts(pieces: readonly string[], count: number): string[] {
  let state = 1;
  const below = (limit: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (state >> 8) % limit;
  };
  return Array.from({ length: count }, () =>
    Array.from({ length: 1 + below(8) }, () => pieces[below(pieces.length)]).join(''),
  );
}

describe('text and bytes', () => {
  const samples = ['', 'abc', 'hé€😀', '\ud800x', 'x\udc00', '\ufeffmark', '😀'.repeat(5000)];

  test.each(samples)('are encoded as elsewhere: %j', (text) => {
    const bytes = new ours.TextEncoder().encode(text);
    expect(bytes).toEqual(new TextEncoder().encode(text));
    const into = [new Uint8Array(5), new Uint8Array(5)] as const;
    const counts = new ours.TextEncoder().encodeInto(text, into[0]);
    expect(counts).toEqual(new TextEncoder().encodeInto(text, into[1]));
    expect(into[0]).toEqual(into[1]);
  });

  const damaged = texts(
    ['a', '\x80', '\xbf', '\xc2', '\xe0\xa0', '\xed', '\xf0\x90\x80', '\xf4\x90'],
    300,
  );

  test.each(['utf-8', 'utf-16le', 'utf-16be', 'latin1'])(
    'are decoded as elsewhere: %s',
    (label) => {
      for (const text of [...samples, ...damaged]) {
        for (const bytes of [new TextEncoder().encode(text), Buffer.from(text, 'latin1')]) {
          for (const options of [{}, { fatal: true }, { ignoreBOM: true }]) {
            const here = endOf(() => new ours.TextDecoder(label, options).decode(bytes));
            expect(here).toEqual(endOf(() => new TextDecoder(label, options).decode(bytes)));
          }
        }
      }
    },
  );

  test('are decoded in pieces', () => {
    const bytes = new TextEncoder().encode('\ufeffhé€😀!');
    const [one, other] = [new ours.TextDecoder(), new TextDecoder()];
    for (const byte of bytes) {
      const piece = Uint8Array.of(byte);
      expect(one.decode(piece, { stream: true })).toBe(other.decode(piece, { stream: true }));
    }
    expect(one.decode()).toBe(other.decode());
  });

  test.each(['', 'a', 'ab', 'abc', '\xff\x00', 'é', '€'])('go to base64 and back: %j', (text) => {
    const there = endOf(() => btoa(text));
    const here = endOf(() => ours.btoa(text));
    expect(here).toEqual(there);
    if (typeof here === 'string') expect(ours.atob(here)).toBe(text);
  });

  test.each(['YQ', 'Y Q = =', 'YQ=', 'Y', '*', 'YWI=\n', '===='])(
    'are read from %j as elsewhere',
    (text) => {
      expect(endOf(() => ours.atob(text))).toEqual(endOf(() => atob(text)));
    },
  );
});

describe('addresses', () => {
  const parts = [
    'href',
    'origin',
    'protocol',
    'username',
    'password',
    'host',
    'hostname',
    'port',
    'pathname',
    'search',
    'hash',
  ] as const;
  const shown = (url: URL) => parts.map((part) => url[part]).join(' ');
  const made = (Class: typeof URL, text: string, base: string | undefined) =>
    endOf(() => shown(new Class(text, base)));
  const Ours = ours.URL as unknown as typeof URL;

  const known =
    `http://a https://User:p%40ss@EXAMPLE.com:443/a/../b/./c?x=1&y=2#fg http://[::1]:80/ http://1.2.3/
    http://[2001:db8::ff00:42:8329]/x http://0x7f.1 http://256.1.1.1 http://b\u00fccher.de/\u00fc?\u00fc#\u00fc
    file:///C:/a/../.. file:C|/x file://localhost/x mailto:a@b data:text/plain,hi a:/b//c a://h:1 http: http:/a
    //x ?q #f /abs rel/../x ../../.. http://a%41 http://a:99999 http://u:@a ws://a:80 wss://a:81/ blob:https://a.b/c
    http:\\\\a\\b http://\uff41.com http://a..b http://a./ http://ex%2eample non:\\a a:b?c#d x://a/?q=' http://a/%2e%2E/b
    http://\u65e5\u672c\u8a9e\u3002jp http://1e2 http://09 http://[1::8:9: http://[::1.2.3.4] foo:/a/..//b foo:///p`.split(
      /\s+/,
    );
  const bases = [
    undefined,
    'http://u:p@h:8080/d/e?q#f',
    'file:///C:/d/e',
    'mailto:x@y',
    'foo://h/a/b',
  ];
  const pieces = `a b / \\ . .. ? # : @ [ ] % %2e %41 \u00e9 http: file: foo: // C| C: 1 0x < | ^ xn-- - :: \u3002`;

  test.each(bases)('are read as elsewhere, beside %s', (base) => {
    for (const text of [...known, ...texts(pieces.split(' '), 2000)]) {
      expect([text, made(Ours, text, base)]).toEqual([text, made(URL, text, base)]);
    }
  });

  const changes: Partial<Record<(typeof parts)[number], readonly string[]>> = {
    href: ['http://z/y'],
    protocol: ['https', 'ftp:', 'foo', 'file', 'x y'],
    username: ['a:b', ''],
    password: ['@'],
    host: ['x', 'x:1', 'x:80', '', 'a b', '[::1]:9', 'x/y', 'a@b', ':1'],
    hostname: ['x', 'x:1', '', '1.2'],
    port: ['1', '80', '', 'x', '9x', '99999'],
    pathname: ['a', '/b?c#d', '', '../x', '%2e'],
    search: ['', '?a', 'a=b#c', "'"],
    hash: ['', '#a', 'a b'],
  };

  test.each(Object.entries(changes))('are changed as elsewhere: %s', (part, values) => {
    for (const text of known.filter((address) => URL.canParse(address))) {
      for (const value of values) {
        const both = [new Ours(text), new URL(text)].map((url) => {
          Object.assign(url, { [part]: value });
          return [text, value, shown(url)];
        });
        expect(both[0]).toEqual(both[1]);
      }
    }
  });

  test('have parameters that are read and written as elsewhere', () => {
    const Params = ours.URLSearchParams as unknown as typeof URLSearchParams;
    const queries = texts(
      ['a', 'b=', '=', '&', '+', ' ', '%20', '%', '%zz', '%ff', '%e2%82', "!'()*~"],
      400,
    );
    const steps = (list: URLSearchParams) => {
      list.append('a', '1 2');
      list.set('b', '\ud800');
      list.delete('a', 'x');
      const middle = [list.toString(), list.size, list.has('a', '1 2'), list.getAll('a')];
      list.sort();
      return [...middle, [...list], list.get('zz')];
    };
    for (const query of queries) {
      expect([query, ...steps(new Params(query))]).toEqual([
        query,
        ...steps(new URLSearchParams(query)),
      ]);
    }
    expect(new Params({ a: '1' }).toString()).toBe('a=1');
    expect(new Params([['a', '1']]).toString()).toBe('a=1');
    const url = new Ours('http://a/?x=1');
    url.searchParams.append('y', '2');
    expect(url.href).toBe('http://a/?x=1&y=2');
    url.search = '?z=3';
    expect([...url.searchParams]).toEqual([['z', '3']]);
  });
});

describe('structuredClone', () => {
  const cycle: Record<string, unknown> = {
    list: Object.assign([1], { 2: 3 }),
    date: new Date(5),
    text: /a/g,
  };
  cycle['self'] = cycle;

  test.each([
    ['plain data with a cycle', cycle],
    ['collections', new Map<unknown, unknown>([[{ a: 1 }, new Set([1n])]])],
    [
      'views on one buffer',
      [new Uint8Array([1, 2, 3]).subarray(1), new DataView(new ArrayBuffer(8), 2)],
    ],
    ['an error', new RangeError('too far', { cause: [1] })],
    ['boxes', [Object(1), Object('a'), Object(true)]],
    ['a key that would be a prototype', JSON.parse('{"__proto__": {"a": 1}}')],
  ])('copies %s', (_what, value) => {
    const copy = ours.structuredClone(value);
    expect(copy).toEqual(structuredClone(value));
    expect(copy).not.toBe(value);
  });

  test.each([[() => 1], [Symbol('a')], [new WeakMap()], [Promise.resolve()]])(
    'refuses %s',
    (value) => {
      expect(endOf(() => ours.structuredClone([value]))).toEqual({ refused: 'DataCloneError' });
    },
  );

  test('moves buffers that are to be transferred', () => {
    const buffer = new ArrayBuffer(4);
    const copy = ours.structuredClone({ buffer }, { transfer: [buffer] }) as {
      buffer: ArrayBuffer;
    };
    expect([buffer.byteLength, copy.buffer.byteLength]).toEqual([0, 4]);
  });
});

test('random ids and bytes come from Math.random', () => {
  const { crypto: own } = makeCrypto();
  expect(own.randomUUID()).toMatch(
    /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/,
  );
  const filled = own.getRandomValues(new Uint32Array(64));
  expect(new Set(filled).size).toBeGreaterThan(60);
  expect(() => own.getRandomValues(new Float32Array(1))).toThrow('whole numbers');
});

describe('the date of a program', () => {
  const Still = makeStillDate(Date, 1000).Date as unknown as DateConstructor;

  test('stands still', () => {
    expect([Still.now(), new Still().getTime(), Still()]).toEqual([
      1000,
      1000,
      new Date(1000).toString(),
    ]);
  });

  test('is a date in all else', () => {
    const date = new Still('2020-02-03T04:05:06Z');
    expect(date.toISOString()).toBe('2020-02-03T04:05:06.000Z');
    expect([date.constructor === Still, date instanceof Still, date instanceof Date]).toEqual([
      true,
      true,
      true,
    ]);
    expect([new Still(2020, 0, 1).getFullYear(), Still.UTC(1970, 0), Still.parse('1970')]).toEqual([
      2020, 0, 0,
    ]);
    class Day extends Still {}
    expect([new Day().getTime(), new Day() instanceof Day]).toEqual([1000, true]);
    Object.assign(Still.prototype, { added: 1 });
    expect(Object.hasOwn(Date.prototype, 'added')).toBe(false);
  });
});
