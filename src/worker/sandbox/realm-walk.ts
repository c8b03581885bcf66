// Walks through the objects that two jobs can reach in one hardened realm, and names those that they
// share and that could carry information from one to the other. Two jobs may share intrinsics of the
// language that are frozen and keep no state, and plain frozen data. Every other shared object is a
// fault even when it is frozen: it may hold a native handle or a function of the host, which no walk
// can see.

import { IdentityHash } from './identity-hash.ts';
import { floatArrays, languageGlobals, syntaxIntrinsics } from './novelties.ts';
import type { ObjectKinds } from './object-kinds.ts';
import { makeCompartment } from './realm.ts';

/** Values that a job has, each with a name that the text of a fault begins with. */
export type Roots = readonly (readonly [name: string, value: unknown])[];

/** How the walk came to an object; `from` is null for a root. A text is made only for a fault. */
interface Step {
  readonly from: object | null;
  readonly by: PropertyKey;
  readonly kind: 'root' | 'prototype' | 'value' | 'getter' | 'setter' | 'contents';
}

type Reached = Map<object, Step>;

/** Taken before anything of a program has run. */
const { apply, ownKeys, getOwnPropertyDescriptor, getPrototypeOf } = Reflect;
const forEachEntry = Map.prototype.forEach;
const forEachMember = Set.prototype.forEach;
const bufferOfArray = getOwnPropertyDescriptor(getPrototypeOf(Int8Array)!, 'prototype');
const arrayBuffer = getOwnPropertyDescriptor(bufferOfArray!.value as object, 'buffer')!.get!;
const viewBuffer = getOwnPropertyDescriptor(DataView.prototype, 'buffer')!.get!;

/** Globals that every compartment makes anew. */
const ownToEachJob = new Set(['globalThis', 'eval', 'Function']);

const kindsWithState: readonly (readonly [string, keyof ObjectKinds])[] = [
  ['Map', 'isMap'],
  ['Set', 'isSet'],
  ['WeakMap', 'isWeakMap'],
  ['WeakSet', 'isWeakSet'],
  ['Date', 'isDate'],
  ['RegExp with a lastIndex', 'isRegExp'],
  ['buffer of bytes', 'isAnyArrayBuffer'],
  ['view on bytes', 'isArrayBufferView'],
  ['Promise', 'isPromise'],
  ['generator', 'isGeneratorObject'],
  ['iterator of a Map', 'isMapIterator'],
  ['iterator of a Set', 'isSetIterator'],
  ['module', 'isModuleNamespaceObject'],
  ['native handle', 'isExternal'],
];

export class RealmWalk {
  readonly #kinds: ObjectKinds;
  /** Objects of the language that are frozen and without state. Found once: they stay frozen. */
  #safe: WeakSet<object> | null = null;

  constructor(kinds: ObjectKinds) {
    this.#kinds = kinds;
  }

  /** A sentence for every object that the roots of both jobs lead to and that is not safe to share. */
  findSharedFaults(a: Roots, b: Roots): readonly string[] {
    const known = (this.#safe ??= this.#findSafe());
    const reached = this.#reach(a, known);
    const faults: string[] = [];
    const others = this.#reach(b, known);
    for (const object of others.keys()) {
      if (!reached.has(object) || known.has(object)) continue;
      const fault = this.#changeOf(object) ?? strangenessOf(object, known);
      if (fault !== null)
        faults.push(`${pathOf(object, others)} is shared by two jobs and ${fault}`);
    }
    return faults;
  }

  /**
   * A short text for the shape of everything that the roots lead to: own keys, values, accessors and
   * prototypes, all by identity. Two calls in one process with the same roots differ when any of these
   * has changed in between. The inner state of functions and objects is not seen.
   */
  fingerprint(roots: Roots): string {
    const hash = new IdentityHash();
    for (const object of this.#reach(roots, null).keys()) {
      hash.addObject(object);
      if (this.#kinds.isProxy(object)) continue;
      hash.addObject(getPrototypeOf(object));
      hash.add(Object.isExtensible(object) ? 1 : 0);
      for (const key of this.#keysOf(object)) {
        const { value, get, set, writable, configurable } = getOwnPropertyDescriptor(object, key)!;
        hash.addText(String(key));
        for (const item of [value, get, set] as unknown[]) hash.addValue(item);
        hash.add((writable === true ? 1 : 0) + (configurable === true ? 2 : 0));
      }
      for (const item of this.#contentsOf(object)) hash.addValue(item);
    }
    return hash.text();
  }

  /** The intrinsics that are safe. One that is not is found as a fault when two jobs share it. */
  #findSafe(): WeakSet<object> {
    const { globalThis: own } = makeCompartment({}, (source) => source);
    const names = [...languageGlobals, ...floatArrays].filter((name) => !ownToEachJob.has(name));
    const named = names.map((name) => [name, own[name]] as const);
    const syntax = syntaxIntrinsics().map((value) => ['syntax', value] as const);
    const found = new WeakSet<object>();
    for (const object of this.#reach([...named, ...syntax], null).keys()) {
      if (this.#changeOf(object) === null) found.add(object);
    }
    return found;
  }

  /**
   * Everything that the roots lead to, breadth first, so that the path to each object is a shortest
   * one.
   */
  #reach(roots: Roots, known: WeakSet<object> | null): Reached {
    const reached: Reached = new Map();
    const waiting: object[] = [];
    const visit = (value: unknown, from: object | null, by: PropertyKey, kind: Step['kind']) => {
      if (!isObject(value) || reached.has(value) || known?.has(value) === true) return;
      reached.set(value, { from, by, kind });
      waiting.push(value);
    };
    for (const [name, value] of roots) visit(value, null, name, 'root');
    for (let at = 0; at < waiting.length; at++) {
      const object = waiting[at]!;
      // Looking into a Proxy would run its handler.
      if (this.#kinds.isProxy(object)) continue;
      visit(getPrototypeOf(object), object, '', 'prototype');
      for (const key of this.#keysOf(object)) {
        const { value, get, set } = getOwnPropertyDescriptor(object, key)!;
        visit(value, object, key, 'value');
        visit(get, object, key, 'getter');
        visit(set, object, key, 'setter');
      }
      for (const item of this.#contentsOf(object)) visit(item, object, '', 'contents');
    }
    return reached;
  }

  /** Own keys, without the elements of a typed array: they are numbers, and may be many. */
  #keysOf(object: object): readonly PropertyKey[] {
    if (typeof object === 'function' || !this.#kinds.isTypedArray(object)) return ownKeys(object);
    return ownKeys(object).filter((key) => typeof key === 'symbol' || !/^\d+$/.test(key));
  }

  /** What an object leads to without a property: the entries of collections, the memory of views. */
  #contentsOf(object: object): readonly unknown[] {
    if (typeof object === 'function') return nothing;
    const contents: unknown[] = [];
    if (this.#kinds.isMap(object)) {
      apply(forEachEntry, object, [(value: unknown, key: unknown) => contents.push(key, value)]);
    } else if (this.#kinds.isSet(object)) {
      apply(forEachMember, object, [(member: unknown) => contents.push(member)]);
    } else if (this.#kinds.isTypedArray(object)) {
      contents.push(apply(arrayBuffer, object, []));
    } else if (this.#kinds.isDataView(object)) {
      contents.push(apply(viewBuffer, object, []));
    }
    return contents;
  }

  /** How the object can be changed; null when no way to change it is visible. */
  #changeOf(object: object): string | null {
    if (this.#kinds.isProxy(object)) return 'is a Proxy';
    if (!Object.isFrozen(object)) return looseEndOf(object);
    if (typeof object === 'function') return null;
    for (const [kind, isOfKind] of kindsWithState)
      if (this.#kinds[isOfKind](object)) return `is a ${kind}`;
    return null;
  }
}

const nothing: readonly unknown[] = [];

function looseEndOf(object: object): string {
  if (Object.isExtensible(object)) return 'is not frozen: properties can be added';
  const loose = ownKeys(object).find((key) => {
    const { writable, configurable } = getOwnPropertyDescriptor(object, key)!;
    return writable === true || configurable === true;
  });
  return `is not frozen: ${keyText(loose ?? 'a property')} can change`;
}

/** Why a frozen object that is not of the language is a fault; null for plain data, which is harmless. */
function strangenessOf(object: object, known: WeakSet<object>): string | null {
  const prototype = getPrototypeOf(object);
  const isPlain = prototype === Object.prototype || Array.isArray(object) || prototype === null;
  if (typeof object === 'object' && isPlain && isData(object)) return null;
  const where = prototype !== null && known.has(prototype) ? '' : ', nor is its prototype';
  return `is frozen but not known as a part of the language${where}`;
}

/** True when it has no accessors. The values that it holds are checked by themselves. */
function isData(object: object): boolean {
  return ownKeys(object).every((key) => {
    const { get, set } = getOwnPropertyDescriptor(object, key)!;
    return get === undefined && set === undefined;
  });
}

function pathOf(object: object, reached: Reached): string {
  let path = '';
  for (let at: object | null = object; at !== null; ) {
    const step: Step = reached.get(at)!;
    path = stepText(step) + path;
    at = step.from;
  }
  return path;
}

function stepText({ by, kind }: Step): string {
  if (kind === 'root') return String(by);
  if (kind === 'prototype') return '.[[Prototype]]';
  if (kind === 'contents') return ' (contents)';
  const isWord = typeof by === 'string' && /^[A-Za-z_$][\w$]*$/.test(by);
  const place = isWord ? `.${by}` : `[${keyText(by)}]`;
  return kind === 'value' ? place : `${place} (${kind})`;
}

function keyText(key: PropertyKey): string {
  return typeof key === 'symbol' ? key.toString() : JSON.stringify(String(key).slice(0, 100));
}

function isObject(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}
