// What a program may refer to without bringing it along, and what to say about the rest.

/** The language itself, as the sandbox offers it, and the few names that it adds. */
export const sandboxGlobals: ReadonlySet<string> = new Set(
  `AggregateError Array ArrayBuffer BigInt BigInt64Array BigUint64Array Boolean DataView Date Error
  EvalError Float16Array Float32Array Float64Array Function Infinity Int16Array Int32Array Int8Array
  Iterator JSON Map Math NaN Number Object Promise Proxy RangeError ReferenceError Reflect RegExp Set String Symbol
  SyntaxError TextDecoder TextEncoder TypeError URIError Uint16Array Uint32Array Uint8Array
  Uint8ClampedArray WeakMap WeakSet clearInterval clearTimeout console decodeURI decodeURIComponent
  encodeURI encodeURIComponent escape eval globalThis isFinite isNaN parseFloat parseInt setInterval
  setTimeout undefined unescape __name`.split(/\s+/),
);

const BELONGS: readonly (readonly [RegExp, string])[] = [
  [
    /^(process|require|module|exports|Buffer|__dirname|__filename|global|setImmediate)$/,
    'it belongs to Node, and tasks run in a sandbox without it',
  ],
  [
    /^(fetch|XMLHttpRequest|WebSocket|EventSource|Request|Response|Headers)$/,
    'tasks have no network: put what they need into their inputs',
  ],
  [
    /^(window|document|navigator|location|self|localStorage|alert|Worker|indexedDB)$/,
    'it belongs to a web page, and tasks run without one',
  ],
  [/^performance$/, 'tasks have no clock of their own to measure with'],
  [/^(crypto|msCrypto)$/, 'use task.random(), which a second attempt repeats'],
];

/** Why a name is not there, and what to do. */
export function adviceFor(name: string): string {
  const known = BELONGS.find(([pattern]) => pattern.test(name));
  return known?.[1] ?? 'define or import it in the program, or pass it as a part of the input';
}
