// Novelties: what the engine has and the library of the hardened realm does not know, and what is done
// about it. The one place to change when Node brings a new V8: a child does not serve when its check
// finds a shared object that is not listed here or not frozen.

import { watchErrors } from './call-sites.ts';

/** The globals that every program has, as far as the library knows them too. */
export const languageGlobals: readonly string[] = names(`
  globalThis undefined NaN Infinity eval Function isFinite isNaN parseFloat parseInt escape
  unescape decodeURI decodeURIComponent encodeURI encodeURIComponent Object Boolean Number
  BigInt String Symbol Date RegExp Temporal Array Map Set WeakMap WeakSet Iterator Promise
  Proxy JSON Math Reflect ArrayBuffer DataView Int8Array Int16Array Int32Array BigInt64Array
  Uint8Array Uint16Array Uint32Array BigUint64Array Uint8ClampedArray Error AggregateError
  EvalError RangeError ReferenceError SyntaxError TypeError URIError
`);

/**
 * Frozen intrinsics that the library withholds, because the bits of a NaN tell something about the
 * engine. Tasks need them for numeric work.
 */
export const floatArrays: readonly string[] = ['Float16Array', 'Float32Array', 'Float64Array'];

/** Intrinsics taken before the lock: afterwards no name leads to them. */
export interface UntamedIntrinsics {
  /** The constructor of all errors, with the hooks of V8: `prepareStackTrace`, `stackTraceLimit`. */
  readonly feralError: ErrorConstructor;
  readonly suppressedError: object | null;
}

/**
 * Before the lock: removes everything from the global object that is neither of the language nor among
 * `hostGlobals`, which the platform needs there. Otherwise the library would put classes of the host that
 * it takes for harmless (`TextDecoder`) into every compartment, and native code may trust fields of such
 * an object that a program can write.
 */
export function removeNovelties(hostGlobals: readonly string[]): UntamedIntrinsics {
  const suppressedError = findSuppressedError();
  const kept = new Set([...languageGlobals, ...floatArrays, ...hostGlobals]);
  for (const name of Object.getOwnPropertyNames(globalThis)) {
    if (!kept.has(name)) Reflect.deleteProperty(globalThis, name);
  }
  return { feralError: Error, suppressedError };
}

/**
 * Between repair and lock: the constructor that only syntax leads to inherits from the tamed constructor
 * of errors instead of the feral one, whose hooks see every error of the realm. The library also leaves
 * its function `harden` on an intrinsic, under a symbol that any program can name; that is removed.
 */
export function tameNovelties({ suppressedError }: UntamedIntrinsics): void {
  Reflect.deleteProperty(Object, Symbol.for('harden'));
  if (suppressedError !== null) Object.setPrototypeOf(suppressedError, sharedError());
}

/** After the lock: freezes what the library did not reach. */
export function hardenNovelties(
  { feralError, suppressedError }: UntamedIntrinsics,
  harden: (value: unknown) => void,
): void {
  // V8 asks it for `prepareStackTrace` whenever an error is made; the library has put its own there.
  watchErrors(feralError);
  Object.freeze(feralError);
  harden([suppressedError, ...syntaxIntrinsics()]);
}

/**
 * Shared objects of the language that no name leads to: they come from syntax, from built-in functions
 * and from the engine's own errors.
 */
export function syntaxIntrinsics(): readonly unknown[] {
  const prototypeOf = Object.getPrototypeOf as (value: unknown) => object;
  const valid = { next: () => ({ done: true, value: undefined }) };
  return [
    ...[function* () {}, async () => {}, async function* () {}].map(prototypeOf),
    ...[[].values(), new Map().keys(), new Set().keys(), ''[Symbol.iterator]()].map(prototypeOf),
    ...[''.matchAll(/x/g), Iterator.from([]).take(0), Iterator.from(valid)].map(prototypeOf),
    ...accessorsOf(argumentsObject(), 'callee'),
    // An own accessor of every error, the same two functions in all of them.
    ...accessorsOf(new TypeError('a sample'), 'stack'),
    findSuppressedError(),
  ];
}

/** The constructor of the error by which `using` reports two errors, one of them from a disposer. */
function findSuppressedError(): object | null {
  const fail = (): void => {
    throw new Error('a sample');
  };
  try {
    using resource = { [Symbol.dispose]: fail };
    if (resource !== null) fail();
    return null;
  } catch (error) {
    const { constructor } = error as object;
    return constructor.name === 'SuppressedError' ? constructor : null;
  }
}

function sharedError(): object {
  return Error.prototype.constructor;
}

function argumentsObject(): object {
  return (function () {
    return arguments;
  })();
}

function accessorsOf(owner: object, key: string): readonly unknown[] {
  const descriptor = Object.getOwnPropertyDescriptor(owner, key);
  return [descriptor?.get, descriptor?.set].filter((accessor) => accessor !== undefined);
}

function names(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}
