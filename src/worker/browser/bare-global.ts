// Takes everything of the platform from the global object of a thread and from all objects that it inherits
// from. What is there is found by walking: a browser that has something new has it taken away as well.

const { getOwnPropertyDescriptor, getPrototypeOf, ownKeys, deleteProperty } = Reflect;

/**
 * `kept`: names that stay. Returns what could not be removed and is more than a number or a text that nobody
 * can change; nothing else of the platform can be reached by name afterwards.
 */
export function bareGlobal(scope: object, kept: ReadonlySet<PropertyKey>): readonly string[] {
  const left: string[] = [];
  // All objects inherit from the last one, which is of the language.
  for (const object of chainOf(scope)) {
    for (const key of ownKeys(object)) {
      if (object === scope && kept.has(key)) continue;
      if (!deleteProperty(object, key) && !isConstant(object, key)) left.push(String(key));
    }
  }
  return left;
}

function isConstant(object: object, key: PropertyKey): boolean {
  const { value, writable } = getOwnPropertyDescriptor(object, key) ?? {};
  return writable === false && ['number', 'string', 'boolean'].includes(typeof value);
}

function chainOf(scope: object): readonly object[] {
  const chain: object[] = [];
  for (let at: object | null = scope; at !== null; at = getPrototypeOf(at)) {
    if (at !== Object.prototype) chain.push(at);
  }
  return chain;
}
