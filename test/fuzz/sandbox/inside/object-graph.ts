// Walks objects as a program could: prototypes, properties of every kind, accessors as functions. It
// calls nothing: no getter, no trap of a proxy.

import { host } from './platform.ts';

const elementsLimit = 1000;
// oxlint-disable-next-line typescript/unbound-method -- called with the collection as its `this`
const { forEach: eachOfMap } = Map.prototype;
// oxlint-disable-next-line typescript/unbound-method -- called with the collection as its `this`
const { forEach: eachOfSet } = Set.prototype;

export type Roots = readonly (readonly [name: string, value: unknown])[];

export interface Found {
  readonly object: object;
  /** The one through which it was found; null for a root. */
  readonly from: Found | null;
  readonly step: string;
}

export function isObject(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

/** Everything from the roots on, without what `isKnown` says; a walk never goes through that. */
export function walk(roots: Roots, isKnown: (object: object) => boolean): Map<object, Found> {
  const found = new Map<object, Found>();
  const open: Found[] = [];
  const meet = (value: unknown, from: Found | null, step: string) => {
    if (!isObject(value) || found.has(value) || isKnown(value)) return;
    const entry = { object: value, from, step };
    found.set(value, entry);
    open.push(entry);
  };
  for (const [name, value] of roots) meet(value, null, name);
  for (let next = open.pop(); next !== undefined; next = open.pop()) visit(next, meet);
  return found;
}

function visit(entry: Found, meet: (value: unknown, from: Found, step: string) => void): void {
  const { object } = entry;
  if (host.kinds.isProxy(object) || host.kinds.isModuleNamespaceObject(object)) return;
  meet(Object.getPrototypeOf(object), entry, '[[Prototype]]');
  if (host.kinds.isMap(object)) {
    eachOfMap.call(object, (value, key) => {
      meet(key, entry, 'a key');
      meet(value, entry, 'an entry');
    });
  }
  if (host.kinds.isSet(object)) eachOfSet.call(object, (value) => meet(value, entry, 'an entry'));
  if (host.kinds.isTypedArray(object) || isLong(object)) return;
  for (const key of Reflect.ownKeys(object)) {
    const property = Reflect.getOwnPropertyDescriptor(object, key);
    if (property === undefined) continue;
    if ('value' in property) meet(property.value, entry, String(key));
    meet(property.get, entry, `get ${String(key)}`);
    meet(property.set, entry, `set ${String(key)}`);
  }
}

function isLong(object: object): boolean {
  return Array.isArray(object) && object.length > elementsLimit;
}

/** One step from an object. */
export function neighbours(object: object): object[] {
  const next: object[] = [];
  visit({ object, from: null, step: '' }, (value) => {
    if (isObject(value)) next.push(value);
  });
  return next;
}

export function pathOf(found: Found): string {
  return found.from === null ? found.step : `${pathOf(found.from)} → ${found.step}`;
}
