// The rules for statements of plain JavaScript: what any program is made of.

import type { Weighted } from '../dice.ts';
import type { Piece } from '../program-tree.ts';
import { classStatement, functionStatement } from './callables.ts';
import { key, place } from './expressions.ts';
import { thorns } from './fixed-words.ts';
import { type Maker, variables } from './maker.ts';
import { blockScope, type Scope } from './scope.ts';

export type StatementRule = (make: Maker, scope: Scope) => Piece;

export const plainStatements: Weighted<StatementRule> = [
  [14, (make, scope) => `leak(${make.expression(scope)});`],
  [10, (make, scope) => `${make.dice.pick(variables)} = ${make.expression(scope)};`],
  [4, (make, scope) => `${place(make, scope)} = ${make.expression(scope)};`],
  [12, attempted],
  [3, destructured],
  [3, functionStatement],
  [3, classStatement],
  [2, looped],
  [2, iterated],
  [1, branched],
  [3, disposed],
  [2, handedOver],
  [2, ended],
];

function attempted(make: Maker, scope: Scope): Piece {
  const close = make.dice.weigh([
    [6, '} catch (x) { leak(x); e = x }'],
    [1, '} catch ({ constructor, ...x }) { leak(constructor); leak(x) }'],
    [1, '} catch { leak(e) } finally { leak(a) }'],
  ]);
  return { open: 'try {', body: make.block(blockScope(scope)), close };
}

function destructured(make: Maker, scope: Scope): Piece {
  const value = make.expression(scope);
  return make.dice.pick([
    `[a, b = ${make.expression(scope)}, ...d] = ${value};`,
    `[, ...[a, c]] = ${value};`,
    `({ [${key(make, scope)}]: a, x: b = ${make.expression(scope)}, ...e } = ${value});`,
    `({ constructor: { constructor: a } } = ${value});`,
    `({ x: ${place(make, scope)} } = ${value});`,
  ]);
}

function looped(make: Maker, scope: Scope): Piece {
  const open = make.dice.pick([
    'for (let i = 0; i < 3; i++) { t();',
    `loop${scope.depth}: for (const i of [1, 2]) { t(); if (i > 1 && a) continue loop${scope.depth};`,
    'for (let i = 0, x = e; x != null && i < 5; i++, x = Object.getPrototypeOf(x)) { t(); leak(x);',
    'do { t();',
  ]);
  const close = open.startsWith('do') ? '} while (false);' : '}';
  return { open, body: make.block(blockScope(scope, true)), close };
}

function iterated(make: Maker, scope: Scope): Piece {
  const isAwaited = scope.isAsync && make.dice.chance(0.5);
  const name = make.dice.pick(['const x', 'let [x]', 'let { x }', 'a']);
  const open = make.dice.chance(0.25)
    ? `for (const x in ${make.expression(scope)}) { t();`
    : `for ${isAwaited ? 'await ' : ''}(${name} of ${make.expression(scope)}) { t();`;
  return { open, body: make.block(blockScope(scope, true)), close: '}' };
}

function branched(make: Maker, scope: Scope): Piece {
  const value = make.expression(scope);
  const open = make.dice.pick([
    `if (${value}) {`,
    `block${scope.depth}: { if (${make.expression(scope)}) break block${scope.depth};`,
    `switch (${value}) { case ${make.expression(scope)}: default: {`,
  ]);
  return {
    open,
    body: make.block(blockScope(scope)),
    close: open.startsWith('switch') ? '} }' : '}',
  };
}

/** `using` makes a SuppressedError of its own when both the block and the disposal throw. */
function disposed(make: Maker, scope: Scope): Piece {
  const isAwaited = scope.isAsync && make.dice.chance(0.5);
  const hook = isAwaited ? 'Symbol.asyncDispose' : 'Symbol.dispose';
  const outcome = make.dice.pick(['throw 1', 'throw a', 'leak(this)', 'return b']);
  const ending = make.dice.pick(['throw 2;', 'throw e;', '', '']);
  return {
    open: `try { ${isAwaited ? 'await ' : ''}using x = { [${hook}]() { t(); ${outcome} } };`,
    body: [...make.block(blockScope(scope)), ...(ending === '' ? [] : [ending])],
    close: '} catch (x) { leak(x); e = x }',
  };
}

function handedOver(make: Maker, scope: Scope): Piece {
  if (scope.isAsync && make.dice.chance(0.5)) return `leak(await ${make.expression(scope)});`;
  if (scope.isGenerator) {
    const offer = make.dice.chance(0.5) ? make.dice.pick(thorns) : make.expression(scope);
    return `leak(yield ${offer});`;
  }
  return `Promise.resolve(${make.expression(scope)}).then(leak, leak);`;
}

function ended(make: Maker, scope: Scope): Piece {
  if (scope.inLoop && make.dice.chance(0.5)) return make.dice.pick(['break;', 'continue;']);
  const value = make.dice.chance(0.5) ? make.dice.pick(thorns) : make.expression(scope);
  if (make.dice.chance(0.4)) return `throw ${value};`;
  if (!scope.mayReturn) return `leak(${make.expression(scope)});`;
  // Not at once: the rest of a program has a right to run, too.
  return `if (${make.expression(scope)} === e) return ${value};`;
}
