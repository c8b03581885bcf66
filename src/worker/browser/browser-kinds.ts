// The kinds of objects as a browser can tell them: by functions of the language that read what only such an
// object has inside, taken before any program runs; where there is none, by the prototype.

import type { ObjectKinds } from '../sandbox/object-kinds.ts';
import { isKnownProxy } from './known-proxies.ts';

const { apply, getPrototypeOf } = Reflect;
const { isView } = ArrayBuffer;

type Reader = (this: unknown, ...args: readonly unknown[]) => unknown;

function getterOf(owner: object, key: PropertyKey): Reader {
  return Object.getOwnPropertyDescriptor(owner, key)!.get as Reader;
}

/** True when the function takes it, without running any code of the object. It throws for all others. */
function isTakenBy(read: Reader | undefined, value: object): boolean {
  if (read === undefined) return false;
  try {
    apply(read, value, []);
    return true;
  } catch {
    return false;
  }
}

const { prototype: promisePrototype } = Promise;
const generatorPrototype = getPrototypeOf(getPrototypeOf((function* () {})())!)!;
const asyncGeneratorPrototype = getPrototypeOf(getPrototypeOf((async function* () {})())!)!;
const { prototype: errorPrototype } = Error;
const { isError } = Error as { isError?: (value: unknown) => boolean };
const mapHas = Map.prototype.has as Reader;
const setHas = Set.prototype.has as Reader;
const weakMapHas = WeakMap.prototype.has as Reader;
const weakSetHas = WeakSet.prototype.has as Reader;
const getTime = Date.prototype.getTime as Reader;
const { prototype: regExpPrototype } = RegExp;
const regExpSource = getterOf(regExpPrototype, 'source');
const bufferLength = getterOf(ArrayBuffer.prototype, 'byteLength');
const sharedLength =
  typeof SharedArrayBuffer === 'undefined'
    ? undefined
    : getterOf(SharedArrayBuffer.prototype, 'byteLength');
const typedArrayTag = getterOf(getPrototypeOf(Int8Array.prototype)!, Symbol.toStringTag);
const viewBuffer = getterOf(DataView.prototype, 'buffer');
const mapIteratorPrototype = getPrototypeOf(new Map().entries())!;
const setIteratorPrototype = getPrototypeOf(new Set().values())!;

/** A Proxy on the way up would run its handler: nothing inherits through one. */
function inherits(value: object, prototype: object): boolean {
  let at: object | null = value;
  while (at !== null && !isKnownProxy(at)) {
    at = getPrototypeOf(at);
    if (at === prototype) return true;
  }
  return false;
}

export const browserKinds: ObjectKinds = {
  isProxy: isKnownProxy,
  isPromise: (value): value is Promise<unknown> => inherits(value, promisePrototype),
  isGeneratorObject: (value) =>
    inherits(value, generatorPrototype) || inherits(value, asyncGeneratorPrototype),
  isNativeError: (value) =>
    isError === undefined ? inherits(value, errorPrototype) : isError(value),
  isMap: (value) => isTakenBy(mapHas, value),
  isSet: (value) => isTakenBy(setHas, value),
  isWeakMap: (value) => isTakenBy(weakMapHas, value),
  isWeakSet: (value) => isTakenBy(weakSetHas, value),
  isDate: (value) => isTakenBy(getTime, value),
  // The getter also answers for the prototype, which is none.
  isRegExp: (value) => value !== regExpPrototype && isTakenBy(regExpSource, value),
  isAnyArrayBuffer: (value) => isTakenBy(bufferLength, value) || isTakenBy(sharedLength, value),
  isArrayBufferView: (value) => isView(value),
  isTypedArray: (value) => apply(typedArrayTag, value, []) !== undefined,
  isDataView: (value) => isTakenBy(viewBuffer, value),
  isMapIterator: (value) => inherits(value, mapIteratorPrototype),
  isSetIterator: (value) => inherits(value, setIteratorPrototype),
  // Programs get neither modules nor objects of the platform.
  isModuleNamespaceObject: () => false,
  isExternal: () => false,
};
