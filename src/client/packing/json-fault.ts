/** A value that JSON would silently drop or change, with its path; null when there is none. */
export function jsonFault(
  value: unknown,
  path: string,
  above: readonly object[] = [],
): string | null {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return null;
    case 'number':
      return Number.isFinite(value) ? null : `${path} is ${value}, which JSON does not have`;
    case 'object':
      return value === null ? null : objectFault(value, path, above);
    case 'undefined':
      return `${path} is undefined`;
    default:
      return `${path} is a ${typeof value}`;
  }
}

function objectFault(value: object, path: string, above: readonly object[]): string | null {
  if (above.includes(value)) return `${path} contains itself`;
  const inside = [...above, value];
  if (Array.isArray(value)) {
    for (const [place, item] of value.entries()) {
      const fault = jsonFault(item, `${path}[${place}]`, inside);
      if (fault !== null) return fault;
    }
    return null;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  // The prototype of a plain object has none itself; that holds for objects of other realms too.
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) {
    return `${path} is a ${value.constructor.name || 'special object'}, not plain data`;
  }
  for (const [key, item] of Object.entries(value)) {
    const fault = jsonFault(item, `${path}.${key}`, inside);
    if (fault !== null) return fault;
  }
  return null;
}
