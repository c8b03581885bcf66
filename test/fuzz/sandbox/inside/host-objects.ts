// Collects the objects of the platform and of the engine that exist before the realm is hardened.

import { type Found, neighbours, walk } from './object-graph.ts';
import { hostRoots } from './platform.ts';

export interface HostObjects {
  readonly all: ReadonlyMap<object, Found>;
  /** Those that belong to ECMAScript. A program may reach them, frozen by then, and no others. */
  readonly language: ReadonlySet<object>;
}

/** Of ECMAScript, without what reads the clock, the machine or the garbage collector. */
const languageNames = `
  Object Array Number Boolean String BigInt Iterator Promise Map Set WeakMap WeakSet Proxy Reflect
  JSON ArrayBuffer DataView Int8Array Int16Array Int32Array BigInt64Array Uint8Array Uint16Array
  Uint32Array BigUint64Array Uint8ClampedArray Float16Array Float32Array Float64Array AggregateError
  EvalError RangeError ReferenceError SyntaxError TypeError URIError SuppressedError decodeURI
  decodeURIComponent encodeURI encodeURIComponent escape unescape isFinite isNaN parseFloat parseInt
`;

export function findHostObjects(): HostObjects {
  // These have tamed twins, which stand in for them in the realm and share what belongs to them. Of
  // Error and of the constructors of functions the twin has but the prototype.
  const copied = [Date, RegExp, Symbol, Math];
  const replaced = [
    Error,
    Function,
    async function () {}.constructor,
    function* () {}.constructor,
    async function* () {}.constructor,
  ];
  const untamed = new Set<object>([...copied, ...replaced]);
  const parts = [
    ...copied.flatMap(neighbours),
    ...replaced.map((value) => Reflect.get(value, 'prototype') as unknown),
  ];
  const scope = globalThis as unknown as Readonly<Record<string, unknown>>;
  const named = languageNames
    .trim()
    .split(/\s+/)
    .map((name) => [name, scope[name]] as const);
  const language = walk(
    [...named, ['Temporal', scope['Temporal']], ...parts.map((part) => ['', part] as const)],
    (object) => untamed.has(object),
  );
  return { all: walk(hostRoots(), () => false), language: new Set(language.keys()) };
}
