// Finds what JSON would drop or change without a word in a value that is to be sent, so that it can be
// refused with its path and the way out. Nothing is built for a value that is all right: inputs come by
// the million.

import { deepestNesting } from '../protocol/limits.ts';

interface Fault {
  /** From the outermost value inwards, like `[3].when`. */
  readonly path: string;
  /** What is the matter there: the end of a sentence that begins with the path. */
  readonly what: string;
}

/** A sentence about the first such part of the value; null when there is none. */
export function jsonFault(value: unknown, name: string): string | null {
  if (isPlain(value, 0)) return null;
  const fault = faultIn(value, []);
  if (fault === tooDeep) return `${name} ${fault.what}`;
  return fault === null ? null : `${name}${fault.path} ${fault.what}`;
}

/** Deeper values are looked through with care: they may contain themselves. */
const PLAINLY_DEEP = 100;

/** The quick look: false when it takes a second one. */
function isPlain(value: unknown, depth: number): boolean {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return true;
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || depth === PLAINLY_DEEP) return false;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) if (!isPlain(value[i], depth + 1)) return false;
    return true;
  }
  if (Object.getPrototypeOf(value) !== Object.prototype) return false;
  for (const key in value) {
    const item = (value as Readonly<Record<string, unknown>>)[key];
    if (item !== undefined && !isPlain(item, depth + 1)) return false;
  }
  return true;
}

/** `above` are the objects around the value; it is the same array all the way. */
function faultIn(value: unknown, above: object[]): Fault | null {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return null;
  if (typeof value === 'number') return Number.isFinite(value) ? null : here(numberFault(value));
  if (typeof value !== 'object') return here(otherFault(value));
  if (above.includes(value)) return here('contains itself, and JSON has no cycles');
  if (above.length >= deepestNesting) return tooDeep;
  above.push(value);
  const fault = Array.isArray(value) ? arrayFault(value, above) : objectFault(value, above);
  above.pop();
  return fault;
}

function arrayFault(values: readonly unknown[], above: object[]): Fault | null {
  // By index: holes are undefined.
  for (let i = 0; i < values.length; i++) {
    const fault = faultIn(values[i], above);
    if (fault === tooDeep) return fault;
    if (fault !== null) return { ...fault, path: `[${i}]${fault.path}` };
  }
  return null;
}

function objectFault(value: object, above: object[]): Fault | null {
  const prototype = Object.getPrototypeOf(value) as object | null;
  if (prototype !== Object.prototype && !isBare(prototype)) return here(kindFault(value));
  for (const [key, item] of Object.entries(value)) {
    // JSON leaves such a key out, and whoever reads it gets undefined all the same.
    if (item === undefined) continue;
    const fault = faultIn(item, above);
    if (fault === tooDeep) return fault;
    if (fault !== null) return { ...fault, path: `${member(key)}${fault.path}` };
  }
  return null;
}

const here = (what: string): Fault => ({ path: '', what });

/** A path of so many steps would tell nobody anything. */
const tooDeep: Fault = here(
  `is nested deeper than ${deepestNesting} levels: make a list of its parts that name one another`,
);

const member = (key: string) =>
  /^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;

const numberFault = (value: number) => `is ${value}, which JSON does not have: use null`;

function otherFault(value: unknown): string {
  if (typeof value === 'undefined') return 'is undefined: use null';
  if (typeof value === 'bigint') return 'is a BigInt: use String(it)';
  return `is a ${typeof value}, which JSON does not have`;
}

/** Prototypes whose objects lose nothing without them: that of plain objects, of any realm, and of classes without a member. */
const bare = new WeakMap<object, boolean>();

function isBare(prototype: object | null): boolean {
  if (prototype === null) return true;
  const known = bare.get(prototype);
  if (known !== undefined) return known;
  const next = Object.getPrototypeOf(prototype) as object | null;
  // The prototype of a plain object is the one that has none itself.
  const isIt = next === null || (hasNoMembers(prototype) && isBare(next));
  bare.set(prototype, isIt);
  return isIt;
}

function hasNoMembers(prototype: object): boolean {
  return Reflect.ownKeys(prototype).every((key) => key === 'constructor');
}

/** By the tag of the engine, which holds for other realms too. */
function kindFault(value: object): string {
  const kind = Object.prototype.toString.call(value).slice('[object '.length, -1);
  if (kind === 'Date') return 'is a Date: use toISOString()';
  if (kind === 'Map' || kind === 'Set') return `is a ${kind}: use Array.from(it)`;
  if (kind === 'Promise') return 'is a promise that nobody awaited';
  if (kind === 'ArrayBuffer') return 'is an ArrayBuffer: use Array.from(new Uint8Array(it))';
  const name = nameOf(value);
  if (ArrayBuffer.isView(value) && kind !== 'DataView') return `is a ${name}: use Array.from(it)`;
  if (typeof (value as { toJSON?: unknown }).toJSON === 'function') {
    return `is a ${name}, not plain data: use its toJSON()`;
  }
  const advice = Object.keys(value).length === 0 ? '' : ': use { ...it }';
  return `is a ${name}, not plain data${advice}`;
}

function nameOf(value: object): string {
  const { constructor } = value as { constructor?: unknown };
  const name = typeof constructor === 'function' ? constructor.name : '';
  return name === '' ? 'special object' : name;
}
