// Bytes as a whole result: a `Uint8Array`, whatever its owner has made of its properties and its prototype. The
// functions are taken before task code runs, and run none of it.

const { apply, getPrototypeOf, getOwnPropertyDescriptor } = Reflect;
const { isView } = ArrayBuffer;
const shared = getPrototypeOf(Uint8Array.prototype)!;
const tagOf = getOwnPropertyDescriptor(shared, Symbol.toStringTag)!.get!;
const lengthOf = getOwnPropertyDescriptor(shared, 'length')!.get!;
const { set } = shared as Uint8Array;

/** How many bytes it is; null for anything but a `Uint8Array`. */
export function wholeBytesLength(value: object): number | null {
  if (!isView(value) || apply(tagOf, value, []) !== 'Uint8Array') return null;
  return apply(lengthOf, value, []) as number;
}

/** A copy, which the task cannot change any more. */
export function copyOfBytes(value: object, length: number): Uint8Array {
  const copy = new Uint8Array(length);
  apply(set, copy, [value]);
  return copy;
}
