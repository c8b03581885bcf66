// The rules for expressions that are functions, and for classes as statements.

import type { Weighted } from '../dice.ts';
import type { Piece } from '../program-tree.ts';
import { key } from './expressions.ts';
import { type Maker, variables } from './maker.ts';
import { functionScope, type Scope } from './scope.ts';

type Rule = (make: Maker, scope: Scope) => string;

export function callable(make: Maker, scope: Scope): string {
  return make.dice.weigh(rules)(make, scope);
}

const rules: Weighted<Rule> = [
  [4, (make, scope) => `((x) => (t(), ${inner(make, scope)}))`],
  [3, (make, scope) => `((x, ...y) => { t(); leak(x); leak(y[0]); return ${inner(make, scope)} })`],
  [2, (make, scope) => `(function (x) { t(); leak(this); return ${inner(make, scope)} })`],
  [1, () => '(function () { t(); leak(arguments); return arguments })'],
  [1, (make, scope) => `(async (x) => (t(), ${inner(make, scope, { isAsync: true })}))`],
  [
    1,
    (make, scope) => `(function* (x) { t(); yield ${inner(make, scope, { isGenerator: true })} })`,
  ],
  [1, (make, scope) => `(async function* (x) { t(); yield ${inner(make, scope)} })`],
  [1, (make, scope) => `({ m(x) { t(); return ${inner(make, scope, { isMethod: true })} } }).m`],
  [
    1,
    (make, scope) =>
      `(class extends ${make.dice.pick(make.vocabulary.constructors)} { [${key(make, scope)}] = 1 })`,
  ],
  [1, (make) => `${make.dice.pick(make.vocabulary.methods)}.bind(${make.dice.pick(variables)})`],
  [1, ({ dice }) => `(({ x, ...y } = ${dice.pick(variables)}, [z] = []) => (t(), leak(y), z))`],
  [1, ({ dice, vocabulary }) => dice.pick(vocabulary.functions)],
  [1, ({ dice, vocabulary }) => dice.pick(vocabulary.methods)],
  [1, ({ dice, vocabulary }) => dice.pick(vocabulary.constructors)],
  [1, () => 'leak'],
];

type Kind = Parameters<typeof functionScope>[1];

function inner(make: Maker, scope: Scope, kind: Kind = {}): string {
  return make.expression(functionScope(scope, kind));
}

/** `a = function … { … };` with statements that the reducer can drop. */
export function functionStatement(make: Maker, scope: Scope): Piece {
  const isAsync = make.dice.chance(0.3);
  const isGenerator = make.dice.chance(0.3);
  const head = `${isAsync ? 'async ' : ''}function${isGenerator ? '*' : ''}`;
  return {
    open: `${make.dice.pick(variables)} = ${head} (x, y = ${make.dice.pick(variables)}, ...z) { t();`,
    body: make.block(functionScope(scope, { isAsync, isGenerator })),
    close: '};',
  };
}

export function classStatement(make: Maker, scope: Scope): Piece {
  const isDerived = make.dice.chance(0.6);
  const base = make.dice.chance(0.6)
    ? make.dice.pick(make.vocabulary.constructors)
    : make.expression(scope);
  const count = 2 + make.dice.below(4);
  const members = Array.from({ length: count }, () => member(make, scope));
  return {
    open: `${make.dice.pick(variables)} = class ${isDerived ? `extends ${base} ` : ''}{ #p = 1; static #q = 2; static has(x) { return #p in x }`,
    body: [...(make.dice.chance(0.5) ? [constructorOf(make, scope, isDerived)] : []), ...members],
    close: '};',
  };
}

function constructorOf(make: Maker, scope: Scope, isDerived: boolean): Piece {
  return {
    open: `constructor(x) { t(); ${isDerived ? 'super(x);' : ''} leak(new.target); leak(this);`,
    body: make.block(functionScope(scope, { isMethod: true })),
    close: '}',
  };
}

function member(make: Maker, scope: Scope): Piece {
  const { dice } = make;
  const own = functionScope(scope, { isMethod: true });
  const prefix = dice.chance(0.4) ? 'static ' : '';
  // A class may not have a constructor of another kind, nor a static `prototype`: computed names may.
  const name = `[${key(make, functionScope(scope, {}))}]`;
  const block = (open: string, inside = own): Piece => ({
    open,
    body: make.block(inside),
    close: '}',
  });
  return dice.weigh<() => Piece>([
    [3, () => block(`${prefix}${name}(x) { t();`)],
    [1, () => block(`${prefix}async ${name}(x) { t();`, { ...own, isAsync: true })],
    [1, () => block(`${prefix}*${name}(x) { t();`, { ...own, isGenerator: true })],
    [1, () => block(`${prefix}get ${name}() { t();`)],
    [1, () => block(`${prefix}set ${name}(x) { t();`)],
    [1, () => block('static { t();', { ...own, mayReturn: false })],
    [2, () => `${prefix}${name} = ${make.expression(own)};`],
    [
      1,
      () =>
        `static m${dice.below(1000)}(x) { t(); x.#p = this.#q; return [x.#p++, ${make.expression(own)}] }`,
    ],
    [1, () => `get [Symbol.toStringTag]() { t(); leak(this); return '${dice.pick(variables)}' }`],
    [
      1,
      () =>
        `static get [Symbol.species]() { t(); leak(this); return ${dice.pick(make.vocabulary.constructors)} }`,
    ],
  ])();
}
