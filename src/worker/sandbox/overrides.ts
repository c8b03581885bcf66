// The override mistake of JavaScript: once a prototype is frozen, nothing that inherits from it can be given
// a property of the same name by assignment. The library of the hardened realm repairs what it knows that
// people assign; here are the names that older packages assign to classes of their own.

const assigned = ['constructor', 'name', 'message', 'toString', 'toLocaleString', 'valueOf'];

/**
 * Between repair and lock: turns these properties of the prototypes of all named classes into accessors
 * whose setter gives the object a property of its own. The others stay as they are, since an accessor
 * costs time at every call.
 */
export function allowOverrides(classNames: readonly string[]): void {
  const named = globalThis as unknown as Record<string, { readonly prototype?: unknown }>;
  for (const className of classNames) {
    const prototype = named[className]?.prototype;
    if (typeof prototype !== 'object' || prototype === null) continue;
    for (const name of assigned) allowOverride(prototype, name);
  }
}

const { defineProperty, getOwnPropertyDescriptor } = Reflect;
const { hasOwn } = Object;

function allowOverride(prototype: object, name: string): void {
  const descriptor = getOwnPropertyDescriptor(prototype, name);
  if (descriptor === undefined || !('value' in descriptor) || !descriptor.configurable) return;
  const value: unknown = descriptor.value;
  const get = (): unknown => value;
  // The lock freezes what properties lead to: without this one it would not find the value.
  defineProperty(get, 'originalValue', { value });
  function set(this: Record<string, unknown>, given: unknown): void {
    if (this === prototype) throw new TypeError(`"${name}" is a part of the language: it is fixed`);
    if (hasOwn(this, name)) this[name] = given;
    else {
      const data = { writable: true, enumerable: true, configurable: true };
      defineProperty(this, name, { value: given, ...data });
    }
  }
  defineProperty(prototype, name, { get, set, enumerable: false, configurable: true });
}
