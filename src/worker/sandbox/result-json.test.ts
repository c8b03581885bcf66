import { describe, expect, test } from 'vitest';
import { nodeHost } from '../node/sandbox/node-host.ts';
import { toResult } from './result-json.ts';

const limit = 1000;

test.each([
  [undefined, 'null'],
  [null, 'null'],
  [1.5, '1.5'],
  ['a', '"a"'],
  [[1, undefined, 'x'], '[1,null,"x"]'],
  [{ a: { b: [true] }, c: undefined }, '{"a":{"b":[true]}}'],
  [new Date(0), '"1970-01-01T00:00:00.000Z"'],
])('writes %o as %s', (value, text) => {
  expect(toResult(value, limit, nodeHost)).toEqual({ type: 'json', text });
});

describe('what JSON would lose or cannot write', () => {
  const cycle: Record<string, unknown> = {};
  cycle['self'] = cycle;
  test.each([
    [Number.NaN, 'result is NaN'],
    [Infinity, 'result is Infinity'],
    [{ stats: [{ mean: 1 }, { mean: Number.NaN }] }, 'result.stats[1].mean is NaN'],
    [() => 1, 'result is a function'],
    [{ f: () => 1 }, 'result.f is a function'],
    [Symbol('s'), 'result is a symbol'],
    [10n, 'result is a BigInt'],
    [{ n: [10n] }, 'BigInt'],
    [cycle, 'circular'],
    [new Map([[1, 2]]), 'result is a Map'],
    [{ s: new Set([1]) }, 'result.s is a Set'],
    [{ a: new Float64Array(3) }, 'result.a is a typed array'],
    [[Promise.resolve(1)], 'result[0] is a promise'],
  ])('refuses %o', (value, message) => {
    const result = toResult(value, limit, nodeHost);
    expect(result).toMatchObject({ type: 'refused', errorType: 'result_not_json' });
    expect(result).toHaveProperty('message', expect.stringContaining(message));
  });
});

describe('bytes as a whole', () => {
  test('are a copy of them, of a buffer of its own', () => {
    const bytes = Uint8Array.of(1, 2, 3, 255).subarray(1);
    const result = toResult(bytes, limit, nodeHost);
    expect(result).toEqual({ type: 'bytes', bytes: Uint8Array.of(2, 3, 255) });
    const { bytes: copy } = result as { bytes: Uint8Array };
    expect(copy.buffer.byteLength).toBe(3);
    bytes[0] = 9;
    expect(copy[0]).toBe(2);
  });

  test('are what they are inside, and no code of their owner runs', () => {
    class Liar extends Uint8Array {
      override get length(): number {
        throw new Error('asked');
      }
      toJSON(): string {
        throw new Error('asked');
      }
    }
    const disguised = Object.setPrototypeOf(new Liar([7]), null) as object;
    Object.defineProperty(disguised, 'byteLength', { value: 1e9 });
    const seven = { type: 'bytes', bytes: Uint8Array.of(7) };
    expect(toResult(disguised, limit, nodeHost)).toEqual(seven);
    expect(toResult(new Liar([7]), limit, nodeHost)).toEqual(seven);
    const pretender = {
      get [Symbol.toStringTag]() {
        return 'Uint8Array';
      },
    };
    expect(toResult(pretender, limit, nodeHost)).toEqual({ type: 'json', text: '{}' });
    expect(toResult(new Proxy(new Uint8Array(1), {}), limit, nodeHost).type).toBe('json');
  });

  test('are refused beyond the limit, and other typed arrays as ever', () => {
    expect(toResult(new Uint8Array(limit), limit, nodeHost).type).toBe('bytes');
    expect(toResult(new Uint8Array(limit + 1), limit, nodeHost)).toEqual({
      type: 'refused',
      errorType: 'result_too_large',
      message: 'the result has 1001 bytes, the limit is 1000',
    });
    for (const value of [new Float32Array(1), new Uint8ClampedArray(1)]) {
      expect(toResult(value, limit, nodeHost)).toMatchObject({ errorType: 'result_not_json' });
    }
  });
});

function nested(levels: number): unknown {
  let value: unknown[] = [];
  for (let level = 1; level < levels; level++) value = [1, value];
  return value;
}

test.each([991, 5000, 9000])('refuses what is nested %i levels deep in a sentence', (levels) => {
  expect(toResult(nested(levels), 1e6, nodeHost)).toEqual({
    type: 'refused',
    errorType: 'result_not_json',
    message: 'the result is nested deeper than 990 levels',
  });
  expect(toResult(nested(990), 1e6, nodeHost).type).toBe('json');
});

test('counts bytes, not characters, against the limit', () => {
  expect(toResult('é'.repeat(499), limit, nodeHost).type).toBe('json');
  expect(toResult('é'.repeat(500), limit, nodeHost)).toEqual({
    type: 'refused',
    errorType: 'result_too_large',
    message: 'the result has 1002 bytes as JSON, the limit is 1000',
  });
});

test.each([
  ['a name', { ['n'.repeat(1_000_000)]: () => 1 }],
  ['a message', { toJSON: () => fail(new Error('m'.repeat(1_000_000))) }],
])('tells of %s of any length in a sentence that is short', (_name, value) => {
  const { message } = toResult(value, limit, nodeHost) as { message: string };
  expect(message).toHaveLength(4000);
});

test('does not call what an error has in place of its message', () => {
  const message = { split: () => fail(new Error('called')) };
  const value = { toJSON: () => fail(Object.assign(new Error(), { message })) };
  const told = 'the result cannot be written as JSON: an error';
  expect(toResult(value, limit, nodeHost)).toMatchObject({ type: 'refused', message: told });
});

function fail(error: Error): never {
  throw error;
}
