// `structuredClone` of a program: copies what the language has. The text of this function is evaluated in
// the compartment of each job that asks for it: it uses nothing but the language.

export function makeStructuredClone() {
  const tagOf = (value: object) => Object.prototype.toString.call(value).slice(8, -1);
  const errors: Readonly<Record<string, ErrorConstructor>> = {
    Error,
    EvalError,
    RangeError,
    ReferenceError,
    SyntaxError,
    TypeError,
    URIError,
  };

  function refusal(what: string): Error {
    const error = new Error(`${what} could not be cloned`);
    error.name = 'DataCloneError';
    return error;
  }

  /** The copy of an object that has no properties of its own to copy; undefined for the others. */
  function copyOfLeaf(value: object, tag: string, clone: (value: unknown) => unknown): unknown {
    switch (tag) {
      case 'Boolean':
      case 'Number':
      case 'String':
      case 'BigInt':
        return Object((value as { valueOf: () => unknown }).valueOf());
      case 'Date':
        return new Date((value as Date).getTime());
      case 'RegExp':
        return new RegExp((value as RegExp).source, (value as RegExp).flags);
      case 'ArrayBuffer':
        return (value as ArrayBuffer).slice(0);
      case 'DataView': {
        const { buffer, byteOffset, byteLength } = value as DataView;
        return new DataView(clone(buffer) as ArrayBuffer, byteOffset, byteLength);
      }
      default: {
        if (!ArrayBuffer.isView(value)) return undefined;
        const { buffer, byteOffset, length } = value as Uint8Array;
        const kinds = globalThis as unknown as Record<string, typeof Uint8Array>;
        // A class of the program that extends an array becomes that array.
        return new kinds[tag]!(clone(buffer) as ArrayBuffer, byteOffset, length);
      }
    }
  }

  function emptyCopy(value: object, tag: string): object | undefined {
    if (Array.isArray(value)) return Array.from({ length: value.length });
    if (tag === 'Map') return new Map();
    if (tag === 'Set') return new Set();
    if (tag === 'Error') return copyOfError(value as Error);
    return ['WeakMap', 'WeakSet', 'WeakRef', 'Promise', 'Generator', 'Symbol'].includes(tag)
      ? undefined
      : {};
  }

  function hide(object: object, name: string, value: unknown): void {
    const data = { writable: true, enumerable: false, configurable: true };
    Object.defineProperty(object, name, { value, ...data });
  }

  function copyOfError({ name, message, stack }: Error): Error {
    const copy = new (errors[name] ?? Error)(message);
    if (typeof stack === 'string') hide(copy, 'stack', stack);
    return copy;
  }

  function structuredClone(given: unknown, options?: { readonly transfer?: Iterable<unknown> }) {
    const copies = new Map<object, unknown>();
    for (const item of options?.transfer ?? []) {
      if (typeof item !== 'object' || item === null || tagOf(item) !== 'ArrayBuffer') {
        throw refusal('what is to be transferred is not an ArrayBuffer: it');
      }
      copies.set(item, (item as ArrayBuffer).transfer());
    }
    const clone = (value: unknown): unknown => {
      if (typeof value === 'function' || typeof value === 'symbol') throw refusal(String(value));
      if (typeof value !== 'object' || value === null) return value;
      if (copies.has(value)) return copies.get(value);
      const tag = tagOf(value);
      const leaf = copyOfLeaf(value, tag, clone);
      const copy = leaf ?? emptyCopy(value, tag);
      if (copy === undefined) throw refusal(`[object ${tag}]`);
      copies.set(value, copy);
      if (leaf === undefined) fill(copy, value, tag);
      return copy;
    };
    const fill = (copy: object, value: object, tag: string) => {
      if (tag === 'Map') {
        // Copied before the first entry: a getter among the values may change the collection.
        for (const [key, item] of Array.from(value as Map<unknown, unknown>)) {
          (copy as Map<unknown, unknown>).set(clone(key), clone(item));
        }
      } else if (tag === 'Set') {
        for (const item of Array.from(value as Set<unknown>))
          (copy as Set<unknown>).add(clone(item));
      } else if (tag !== 'Error') {
        for (const key of Object.keys(value)) {
          const item = clone((value as Record<string, unknown>)[key]);
          // By definition: an assignment to `__proto__` would mean something else.
          Object.defineProperty(copy, key, {
            value: item,
            writable: true,
            enumerable: true,
            configurable: true,
          });
        }
      } else if ('cause' in value) {
        hide(copy, 'cause', clone(value.cause));
      }
    };
    return clone(given);
  }

  return { structuredClone };
}
