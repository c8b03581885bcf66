// A store is implemented in parts, a class for each part of the port; outside it is one object.

/** An object with the methods of all parts, each of which is called on its own part. */
export function joinParts<P extends readonly object[]>(...parts: P): Joined<P> {
  const joined: Record<string, unknown> = {};
  for (const part of parts) {
    const members = Object.getOwnPropertyDescriptors(Object.getPrototypeOf(part));
    for (const [name, { value }] of Object.entries(members)) {
      if (name !== 'constructor' && typeof value === 'function') joined[name] = value.bind(part);
    }
  }
  return joined as Joined<P>;
}

type Joined<P extends readonly object[]> = P extends readonly [
  infer First,
  ...infer Rest extends readonly object[],
]
  ? First & Joined<Rest>
  : unknown;
