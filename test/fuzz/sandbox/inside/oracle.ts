// Finds faults in a realm after programs have run in it. It is independent of the walk of the production
// child, and stricter: an object that two jobs reach must be known from the start, and no object of the
// host may be reached at all.

import type { HostObjects } from './host-objects.ts';
import { isObject, neighbours, pathOf, type Roots, walk } from './object-graph.ts';
import { host } from './platform.ts';

export class Oracle {
  /** Frozen, there from the start, and leading to nothing else: what two jobs may share. */
  readonly #permitted: ReadonlySet<object>;
  readonly #host: HostObjects;

  /** Of two jobs in which nobody has run anything. */
  constructor(ofHost: HostObjects, first: Roots, second: Roots) {
    this.#host = ofHost;
    const ofSecond = walk(second, () => false);
    const shared = [...walk(first, () => false).keys()].filter((object) => ofSecond.has(object));
    const permitted = new Set(
      shared.filter((object) => !this.#isOfHost(object) && isUnchangeable(object)),
    );
    for (let before = 0; before !== permitted.size; ) {
      before = permitted.size;
      for (const object of permitted) {
        if (!neighbours(object).every((each) => permitted.has(each))) permitted.delete(object);
      }
    }
    this.#permitted = permitted;
  }

  isPermitted(object: object): boolean {
    return this.#permitted.has(object);
  }

  /** Sentences about what two jobs got hold of. */
  check(first: Roots, second: Roots): string[] {
    const isKnown = (object: object) => this.#permitted.has(object);
    const ofFirst = walk(first, isKnown);
    const ofSecond = walk(second, isKnown);
    const isShared = (object: object) => ofFirst.has(object) && ofSecond.has(object);
    return [...ofFirst.values(), ...ofSecond.values()].flatMap((found) => {
      const { object, from } = found;
      const hostFault = this.#hostFault(object);
      // Objects behind one that is reported already are not reported.
      if (hostFault !== null) {
        if (from !== null && this.#hostFault(from.object) !== null) return [];
        return [`${hostFault}: a ${kindOf(object)} (at ${pathOf(found)})`];
      }
      if (!isShared(object) || (from !== null && isShared(from.object))) return [];
      return [`two jobs reach the same ${kindOf(object)} (at ${pathOf(found)})`];
    });
  }

  #isOfHost(object: object): boolean {
    return this.#host.all.has(object) && !this.#host.language.has(object);
  }

  #hostFault(object: object): string | null {
    const origin = this.#host.all.get(object);
    if (origin !== undefined && this.#isOfHost(object))
      return `a job reaches what belongs to the host, ${pathOf(origin)}`;
    if (host.kinds.isModuleNamespaceObject(object)) return 'an import gave a module';
    if (host.kinds.isExternal(object)) return 'a job reaches native memory';
    if (givesProcess(object)) return 'a job reaches a maker of functions that is not tamed';
    return null;
  }
}

/** Frozen, and without a state inside that a method could change. */
function isUnchangeable(object: object): boolean {
  const hasState =
    host.kinds.isMap(object) ||
    host.kinds.isSet(object) ||
    host.kinds.isWeakMap(object) ||
    host.kinds.isWeakSet(object) ||
    host.kinds.isDate(object) ||
    host.kinds.isAnyArrayBuffer(object) ||
    host.kinds.isTypedArray(object) ||
    host.kinds.isGeneratorObject(object) ||
    host.kinds.isPromise(object) ||
    host.kinds.isProxy(object);
  return !hasState && Object.isFrozen(object);
}

const makers = new Set([
  'Function',
  'AsyncFunction',
  'GeneratorFunction',
  'AsyncGeneratorFunction',
]);

/** A constructor of functions that nobody has tamed reads names of the host. */
function givesProcess(value: object): boolean {
  if (typeof value !== 'function' || host.kinds.isProxy(value)) return false;
  const name = Reflect.getOwnPropertyDescriptor(value, 'name')?.value as unknown;
  if (typeof name !== 'string' || !makers.has(name)) return false;
  try {
    const made: unknown = Reflect.apply(value, undefined, ['return process']);
    return typeof made === 'function' && isObject(Reflect.apply(made, undefined, []));
  } catch {
    return false;
  }
}

/** By the names that stand in the object and its prototypes; nothing is called. */
function kindOf(object: object): string {
  if (host.kinds.isProxy(object)) return 'proxy';
  if (typeof object === 'function') return `function ${ownText(object, 'name')}`;
  let holder: object | null = object;
  while (holder !== null && !host.kinds.isProxy(holder)) {
    const maker = Reflect.getOwnPropertyDescriptor(holder, 'constructor')?.value as unknown;
    if (typeof maker === 'function' && !host.kinds.isProxy(maker)) {
      return `${holder === object ? 'prototype' : 'object'} of ${ownText(maker, 'name')}`;
    }
    holder = Object.getPrototypeOf(holder) as object | null;
  }
  return 'object';
}

function ownText(object: object, key: string): string {
  const value = Reflect.getOwnPropertyDescriptor(object, key)?.value as unknown;
  return typeof value === 'string' && value !== '' ? value.slice(0, 40) : 'without a name';
}
