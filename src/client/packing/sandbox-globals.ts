// The names that every task function finds in the sandbox, and what other well-known names belong to.

/** The globals of the language that the sandbox has, and the names that it adds. */
export const sandboxGlobals: ReadonlySet<string> = new Set(
  `AggregateError Array ArrayBuffer BigInt BigInt64Array BigUint64Array Boolean DataView Date Error
  EvalError Float16Array Float32Array Float64Array Function Infinity Int16Array Int32Array Int8Array
  Iterator JSON Map Math NaN Number Object Promise Proxy RangeError ReferenceError Reflect RegExp Set String Symbol
  SyntaxError TextDecoder TextEncoder TypeError URIError URL URLSearchParams Uint16Array Uint32Array Uint8Array
  Uint8ClampedArray WeakMap WeakSet atob btoa clearInterval clearTimeout console crypto decodeURI decodeURIComponent
  encodeURI encodeURIComponent escape eval global globalThis isFinite isNaN parseFloat parseInt
  queueMicrotask self setInterval setTimeout structuredClone undefined unescape __name`.split(
    /\s+/,
  ),
);

const BELONGS: readonly (readonly [RegExp, string])[] = [
  [
    /^(process|require|module|exports|Buffer|__dirname|__filename|setImmediate)$/,
    'it belongs to Node, and tasks run in a sandbox without it',
  ],
  [
    /^(fetch|XMLHttpRequest|WebSocket|EventSource|Request|Response|Headers)$/,
    'tasks have no network: put what they need into their inputs',
  ],
  [
    /^(window|document|navigator|location|localStorage|alert|Worker|indexedDB)$/,
    'it belongs to a web page, and tasks run without one',
  ],
  [/^performance$/, 'tasks have no clock of their own to measure with'],
  [/^Intl$/, 'what it answers differs from device to device: bundle a package that formats'],
  [/^WebAssembly$/, 'tasks are JavaScript alone'],
  [
    /^__(?:awaiter|generator|assign|rest|spreadArray|values|read)$|^_(?:asyncToGenerator|objectSpread2?|defineProperty)$/,
    'a compiler adds it for an old target, such as es2015: build for es2022 or newer',
  ],
  [/^msCrypto$/, 'use crypto or task.random(), which a second attempt repeats'],
];

/** Why the sandbox does not have a well-known name; undefined for other names. */
export function belongsElsewhere(name: string): string | undefined {
  return BELONGS.find(([pattern]) => pattern.test(name))?.[1];
}
