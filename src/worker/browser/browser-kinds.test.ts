import { afterEach, expect, test } from 'vitest';
import { types } from 'node:util';
import type { ObjectKinds } from '../sandbox/object-kinds.ts';
import { browserKinds } from './browser-kinds.ts';
import { watchProxies } from './known-proxies.ts';

const EngineProxy = Proxy;
afterEach(() => {
  globalThis.Proxy = EngineProxy;
});

/** A getter that tells when code of the object's owner runs. */
const trap = (): never => {
  throw new Error('code of the owner ran');
};

const samples: readonly (readonly [string, object])[] = [
  ['a promise', Promise.resolve()],
  ['a generator', (function* () {})()],
  ['an async generator', (async function* () {})()],
  ['an error', new RangeError('x')],
  ['a Map', new Map()],
  ['a Set', new Set()],
  ['a WeakMap', new WeakMap()],
  ['a WeakSet', new WeakSet()],
  ['a Date', new Date(0)],
  ['a RegExp', /x/g],
  ['an ArrayBuffer', new ArrayBuffer(1)],
  ['a SharedArrayBuffer', new SharedArrayBuffer(1)],
  ['a typed array', new Float64Array(1)],
  ['a DataView', new DataView(new ArrayBuffer(1))],
  ['the iterator of a Map', new Map().entries()],
  ['the iterator of a Set', new Set().values()],
  ['an array', []],
  ['a plain object', {}],
  ['an object without prototype', Object.create(null) as object],
  ['a function', () => {}],
  ['the prototype of Promise', Promise.prototype],
  ['the prototype of RegExp', RegExp.prototype],
  ['the prototype of Map', Map.prototype],
  ['something that says it is a Promise', { constructor: Promise, catch: trap }],
  ['something that says it is a Map', { [Symbol.toStringTag]: 'Map', constructor: Map }],
  ['something full of getters', Object.defineProperty({}, 'constructor', { get: trap })],
];

const kinds = Object.keys(browserKinds) as (keyof ObjectKinds)[];

test.each(samples)('%s is told as Node tells it, whatever its prototype says', (_name, sample) => {
  const told = kinds.filter((kind) => browserKinds[kind](sample));
  expect(told).toEqual(kinds.filter((kind) => types[kind](sample)));
});

test('a Map is one with another prototype as well', () => {
  const map = Object.setPrototypeOf(new Map(), Date.prototype) as object;
  expect(browserKinds.isMap(map)).toBe(true);
  expect(browserKinds.isDate(map)).toBe(false);
});

test('a Proxy that a program makes is a Proxy and nothing else, and its handler does not run', () => {
  watchProxies();
  const handler = { getPrototypeOf: trap, get: trap, has: trap, getOwnPropertyDescriptor: trap };
  for (const target of [{}, [], new Map(), Promise.resolve(), () => {}]) {
    const made = [new Proxy(target, handler), Proxy.revocable(target, handler).proxy];
    made.push(Reflect.construct(Proxy, [target, handler]) as object);
    for (const each of made) {
      expect(kinds.filter((kind) => browserKinds[kind](each))).toEqual(['isProxy']);
      // Nor where it is the prototype of something else.
      const heir = Object.create(null) as object;
      Object.setPrototypeOf(heir, each);
      expect(kinds.filter((kind) => browserKinds[kind](heir))).toEqual([]);
    }
  }
});

test('the Proxy that programs get behaves like that of the engine', () => {
  watchProxies();
  expect(Proxy).not.toBe(EngineProxy);
  expect(new Proxy({ a: 1 }, { get: (target, key) => [target, key] })).toHaveProperty('a');
  expect(() => (Proxy as unknown as () => void)()).toThrow(TypeError);
  expect(() => new Proxy(1 as unknown as object, {})).toThrow(TypeError);
  const { proxy, revoke } = Proxy.revocable({ a: 1 }, {});
  expect(proxy.a).toBe(1);
  revoke();
  expect(() => proxy.a).toThrow(TypeError);
  for (const [mine, its] of [
    [Proxy, EngineProxy],
    [Proxy.revocable, EngineProxy.revocable],
  ] as const) {
    expect([mine.name, mine.length]).toEqual([its.name, its.length]);
    expect(new Set(Reflect.ownKeys(mine))).toEqual(new Set(Reflect.ownKeys(its)));
  }
});
