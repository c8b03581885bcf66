// The rules for expressions. All of them stand in brackets where precedence could matter.

import type { Weighted } from '../dice.ts';
import {
  engineErrors,
  hookKeys,
  literals,
  numbers,
  regexBodies,
  regexFlags,
} from './fixed-words.ts';
import { argumentsOf, type Maker, variables } from './maker.ts';
import type { Scope } from './scope.ts';

type Rule = (make: Maker, scope: Scope) => string;

export function atom(make: Maker, scope: Scope): string {
  return make.dice.weigh(atoms)(make, scope);
}

export function composite(make: Maker, scope: Scope): string {
  return make.dice.weigh(composites)(make, scope);
}

export function key(make: Maker, scope: Scope): string {
  const { dice, vocabulary } = make;
  if (dice.chance(0.05)) return make.expression(scope);
  return dice.pick(dice.chance(0.5) ? hookKeys : vocabulary.keys);
}

/** What an assignment may have at its left. */
export function place(make: Maker, scope: Scope): string {
  if (make.dice.chance(0.4)) return make.dice.pick(variables);
  return `${target(make, scope)}[${key(make, scope)}]`;
}

/** Something worth changing. */
function target(make: Maker, scope: Scope): string {
  const { dice, vocabulary } = make;
  return dice.weigh<() => string>([
    [4, () => dice.pick(variables)],
    [2, () => dice.pick(vocabulary.objects)],
    [2, () => dice.pick(vocabulary.constructors)],
    [1, () => dice.pick(vocabulary.functions)],
    [1, () => dice.pick(vocabulary.methods)],
    [2, () => `${dice.pick(variables)}.constructor`],
    [2, () => `Object.getPrototypeOf(${make.expression(scope)})`],
    [1, () => `Object.getPrototypeOf(${dice.pick(variables)}.constructor)`],
  ])();
}

const atoms: Weighted<Rule> = [
  [12, ({ dice }) => dice.pick(variables)],
  [4, ({ dice }) => dice.pick(literals)],
  [3, ({ dice, vocabulary }) => dice.pick(vocabulary.objects)],
  [3, ({ dice, vocabulary }) => dice.pick(vocabulary.constructors)],
  [2, ({ dice, vocabulary }) => dice.pick(vocabulary.functions)],
  [2, ({ dice, vocabulary }) => dice.pick(vocabulary.methods)],
  [1, () => 'task'],
  [1, () => 'this'],
  [1, () => 'globalThis'],
  [1, () => 'new.target'],
  [1, ({ dice }) => `(/${dice.pick(regexBodies)}/${dice.pick(regexFlags)})`],
  [1, (_make, { isMethod }) => (isMethod ? 'super.constructor' : 'leak')],
];

const composites: Weighted<Rule> = [
  [6, called],
  [5, constructed],
  [5, (make, scope) => `${make.expression(scope)}[${key(make, scope)}]`],
  [2, (make, scope) => `${make.expression(scope)}?.[${key(make, scope)}]`],
  [3, (make, scope) => `${make.expression(scope)}.constructor`],
  [5, reflected],
  [5, changed],
  [3, objectLiteral],
  [2, (make, scope) => `[${argumentsOf(make, scope)}]`],
  [3, (make, scope) => make.callable(scope)],
  [2, proxied],
  [1, (make, scope) => `\`x\${${make.expression(scope)}}\``],
  [1, (make, scope) => `(${make.callable(scope)})\`x\${${make.expression(scope)}}\\u0041\``],
  [2, combined],
  [1, (make, scope) => `(${place(make, scope)} = ${make.expression(scope)})`],
  [1, assignedIf],
  [1, (make, scope) => `(typeof ${make.expression(scope)})`],
  [1, (make, scope) => `(${make.expression(scope)} instanceof ${make.expression(scope)})`],
  [1, (make, scope) => `(${key(make, scope)} in Object(${make.expression(scope)}))`],
  [2, caught],
  [2, suspended],
  [1, (make, scope) => (scope.isMethod ? `super[${key(make, scope)}]` : atom(make, scope))],
];

function called(make: Maker, scope: Scope): string {
  const { dice, vocabulary } = make;
  const args = argumentsOf(make, scope);
  return dice.weigh<() => string>([
    [3, () => `${dice.pick(vocabulary.functions)}(${args})`],
    [
      4,
      () => `Reflect.apply(${dice.pick(vocabulary.methods)}, ${make.expression(scope)}, [${args}])`,
    ],
    [3, () => `${make.expression(scope)}[${key(make, scope)}](${args})`],
    [1, () => `${make.expression(scope)}?.(${args})`],
    [1, () => `(${make.callable(scope)})(${args})`],
  ])();
}

function constructed(make: Maker, scope: Scope): string {
  const { dice, vocabulary } = make;
  const constructor = dice.pick(vocabulary.constructors);
  const args = argumentsOf(make, scope);
  return dice.weigh<() => string>([
    [5, () => `new ${constructor}(${args})`],
    [1, () => `Reflect.construct(${constructor}, [${args}], ${make.callable(scope)})`],
    [1, () => `new (class extends ${constructor} {})(${args})`],
    [1, () => `new (${make.callable(scope)})(${args})`],
  ])();
}

function reflected(make: Maker, scope: Scope): string {
  const value = make.expression(scope);
  return make.dice.weigh<() => string>([
    [4, () => `Object.getPrototypeOf(${value})`],
    [2, () => `Object.getPrototypeOf(${value}.constructor)`],
    [1, () => `${value}.constructor.constructor`],
    [1, () => `Reflect.ownKeys(${value})`],
    [1, () => `Object.getOwnPropertySymbols(${value})`],
    [1, () => `Object.getOwnPropertyDescriptors(${value})`],
    [2, () => `Object.getOwnPropertyDescriptor(${value}, ${key(make, scope)})`],
    [1, () => `Object.getOwnPropertyDescriptor(${value}, ${key(make, scope)})?.get`],
  ])();
}

function changed(make: Maker, scope: Scope): string {
  const what = target(make, scope);
  const value = make.dice.chance(0.5) ? make.callable(scope) : make.expression(scope);
  return make.dice.weigh<() => string>([
    [4, () => `(${what}[${key(make, scope)}] = ${value})`],
    [2, () => `Reflect.set(${what}, ${key(make, scope)}, ${value}, ${make.expression(scope)})`],
    [2, () => `Object.defineProperty(${what}, ${key(make, scope)}, { value: ${value} })`],
    [
      1,
      () =>
        `Object.defineProperty(${what}, ${key(make, scope)}, { get: ${value}, configurable: true })`,
    ],
    [2, () => `Object.setPrototypeOf(${what}, ${value})`],
    [1, () => `(${what}.__proto__ = ${value})`],
    [1, () => `Object.assign(${what}, ${value})`],
    [1, () => `(delete ${what}[${key(make, scope)}])`],
    [1, () => `Object.preventExtensions(${what})`],
    [1, () => `(${what}[${key(make, scope)}]++)`],
  ])();
}

function objectLiteral(make: Maker, scope: Scope): string {
  const proto = make.dice.chance(0.15) ? [`__proto__: ${make.expression(scope)}`] : [];
  const members = Array.from({ length: 1 + make.dice.below(3) }, () => {
    const name = `[${key(make, scope)}]`;
    return make.dice.weigh<() => string>([
      [3, () => `${name}: ${make.expression(scope)}`],
      [2, () => `${name}: ${make.callable(scope)}`],
      [2, () => `${name}(x) { t(); leak(x); return ${make.dice.pick(variables)} }`],
      [1, () => `get ${name}() { t(); return ${make.dice.pick(variables)} }`],
      [1, () => `set ${name}(x) { t(); leak(x) }`],
      [1, () => `*${name}() { t(); yield* ${make.dice.pick(variables)} }`],
      [1, () => `...${make.expression(scope)}`],
    ])();
  });
  return `({ ${[...proto, ...members].join(', ')} })`;
}

const traps = ['get', 'set', 'has', 'ownKeys', 'getPrototypeOf', 'apply', 'construct'] as const;

function proxied(make: Maker, scope: Scope): string {
  const trap = make.dice.pick(traps);
  const returned = trap === 'ownKeys' ? '[]' : `Reflect.${trap}(...x)`;
  const handler = `{ ${trap}(...x) { t(); leak(x); return ${returned} } }`;
  return `new Proxy(${make.dice.chance(0.4) ? make.callable(scope) : make.expression(scope)}, ${handler})`;
}

const operators = ['+', '-', '*', '/', '%', '&', '|', '^', '<', '==', '===', '??', '&&', '||', ','];

function combined(make: Maker, scope: Scope): string {
  // Powers and shifts of what is small: a BigInt of a million digits takes the engine seconds.
  if (make.dice.chance(0.1)) {
    return `(${make.dice.pick(numbers)} ** ${make.dice.pick(numbers)})`;
  }
  return `(${make.expression(scope)} ${make.dice.pick(operators)} ${make.expression(scope)})`;
}

function assignedIf(make: Maker, scope: Scope): string {
  const operator = make.dice.pick(['??=', '||=', '&&=']);
  return `(${place(make, scope)} ${operator} ${make.expression(scope)})`;
}

/** The error that the engine throws. */
function caught(make: Maker): string {
  return `(() => { try { ${make.dice.pick(engineErrors)} } catch (x) { return x } })()`;
}

function suspended(make: Maker, scope: Scope): string {
  if (scope.isAsync && (!scope.isGenerator || make.dice.chance(0.5))) {
    return `(await ${make.expression(scope)})`;
  }
  return scope.isGenerator ? `(yield ${make.expression(scope)})` : atom(make, scope);
}
