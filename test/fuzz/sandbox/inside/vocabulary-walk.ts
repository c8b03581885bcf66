// Finds what a program can name in a live compartment: globals, their properties, and what only syntax
// makes. A name that an engine adds becomes a part of the grammar without anybody's doing.

import type { Vocabulary } from '../grammar/vocabulary.ts';
import { isObject, type Roots } from './object-graph.ts';

/** What no global names. */
export const hiddenIntrinsics: readonly string[] = [
  'Object.getPrototypeOf(Uint8Array)',
  'Object.getPrototypeOf([][Symbol.iterator]())',
  'Object.getPrototypeOf(new Map().entries())',
  'Object.getPrototypeOf(new Set().values())',
  "Object.getPrototypeOf(''[Symbol.iterator]())",
  "Object.getPrototypeOf('x'.matchAll(/x/g))",
  'Object.getPrototypeOf(Iterator.from({ next() {} }))',
  'Object.getPrototypeOf([].values().map((x) => x))',
  'Object.getPrototypeOf(async () => {})',
  'Object.getPrototypeOf(function* () {})',
  'Object.getPrototypeOf(async function* () {})',
  '(function* () {}).constructor.prototype.prototype',
  '(async function* () {}).constructor.prototype.prototype',
  'Object.getPrototypeOf((async function* () {}).constructor.prototype.prototype)',
  '(() => { try { null.x } catch (x) { return x } })()',
  "(() => { try { JSON.parse('{') } catch (x) { return x } })()",
  '(() => { try { using x = { [Symbol.dispose]() { throw 1 } }; throw 2 } catch (x) { return x } })()',
  '(() => { const deep = () => deep() + 1; try { deep() } catch (x) { return x } })()',
  'new AggregateError([])',
  '((x) => x)`x`',
  '(function () { return arguments })()',
];

/** `sample`: the global object first, then what is hidden. */
export function findVocabulary(sample: Roots): Vocabulary {
  const [[, global] = [], ...hidden] = sample;
  const words = new Words();
  for (const name of Object.getOwnPropertyNames(global).sort()) {
    if (/^[A-Za-z_]\w*$/.test(name) && name !== 'globalThis') {
      // A call of `eval` by its name is no function call, and programs may not have one.
      words.add(name === 'eval' ? '(0, eval)' : name, Reflect.get(global as object, name), 0);
    }
  }
  for (const [source, value] of hidden) words.add(source, value, 1);
  return words.vocabulary();
}

class Words {
  readonly #functions: string[] = [];
  readonly #constructors: string[] = [];
  readonly #methods: string[] = [];
  readonly #objects: string[] = [];
  readonly #keys = new Set<string>();
  readonly #seen = new Set<object>();

  add(path: string, value: unknown, depth: number): void {
    if (!isObject(value) || this.#seen.has(value)) return;
    this.#seen.add(value);
    if (typeof value !== 'function') this.#objects.push(path);
    else if (Object.hasOwn(value, 'prototype') && !path.includes('('))
      this.#constructors.push(path);
    else if (path.includes('prototype') || path.includes('Prototype')) this.#methods.push(path);
    else this.#functions.push(path);
    if (depth < 3) this.#addProperties(path, value, depth + 1);
  }

  #addProperties(path: string, value: object, depth: number): void {
    for (const name of Reflect.ownKeys(value)) {
      const key = keyText(name);
      const property = Reflect.getOwnPropertyDescriptor(value, name);
      if (key === null || property === undefined) continue;
      this.#keys.add(key);
      if ('value' in property) this.add(memberText(path, name, key), property.value, depth);
      const accessor = `Object.getOwnPropertyDescriptor(${path}, ${key})`;
      this.add(`${accessor}.get`, property.get, 3);
      this.add(`${accessor}.set`, property.set, 3);
    }
  }

  vocabulary(): Vocabulary {
    return {
      functions: this.#functions,
      constructors: this.#constructors,
      methods: this.#methods,
      objects: this.#objects,
      keys: [...this.#keys],
    };
  }
}

/** Null for a symbol that has no name of its own. */
function keyText(key: string | symbol): string | null {
  if (typeof key === 'string') return JSON.stringify(key);
  const name = key.description ?? '';
  return /^Symbol\.\w+$/.test(name) ? name : null;
}

function memberText(path: string, name: string | symbol, key: string): string {
  if (typeof name === 'string' && /^[A-Za-z_]\w*$/.test(name)) return `${path}.${name}`;
  return `${path}[${key}]`;
}
