// Makes a program: what it consists of follows from its seed, its number and the vocabulary alone.

import { Dice, type Weighted } from '../dice.ts';
import type { FuzzProgram, Order, Piece, ProgramKind } from '../program-tree.ts';
import { callable } from './callables.ts';
import { atom, composite } from './expressions.ts';
import { hostileStatements } from './hostile-statements.ts';
import type { Maker } from './maker.ts';
import type { Scope } from './scope.ts';
import { plainStatements, type StatementRule } from './statements.ts';
import type { Vocabulary } from './vocabulary.ts';

const deepestExpression = 2;
const deepestBlock = 3;
const mostStatements = 4;

const kinds: Weighted<ProgramKind> = [
  [6, 'function'],
  [1, 'generator'],
  [2, 'async function'],
  [1, 'async generator'],
];

const orders: Weighted<Order> = [
  [7, 'none'],
  [1, 'stop'],
  [1, 'stop with a checkpoint'],
  [1, 'checkpoint'],
];

export function makeProgram(seed: number, number: number, vocabulary: Vocabulary): FuzzProgram {
  const dice = new Dice(seed, number);
  const kind = dice.weigh(kinds);
  const scope: Scope = {
    isAsync: kind.startsWith('async'),
    isGenerator: kind.endsWith('generator'),
    isMethod: false,
    inLoop: false,
    mayReturn: true,
    depth: 0,
  };
  const order = dice.weigh(orders);
  return { kind, order, body: new Grammar(dice, vocabulary).block(scope) };
}

class Grammar implements Maker {
  readonly dice: Dice;
  readonly vocabulary: Vocabulary;
  #nesting = 0;

  constructor(dice: Dice, vocabulary: Vocabulary) {
    this.dice = dice;
    this.vocabulary = vocabulary;
  }

  expression(scope: Scope): string {
    const isDeep = this.#nesting >= deepestExpression || this.dice.chance(0.35);
    return this.#nested(() => (isDeep ? atom(this, scope) : composite(this, scope)));
  }

  callable(scope: Scope): string {
    return this.#nested(() => callable(this, scope));
  }

  block(scope: Scope): Piece[] {
    const most = Math.max(1, mostStatements - 2 * scope.depth);
    const count = 1 + this.dice.below(most);
    return Array.from({ length: count }, () => this.#statement(scope));
  }

  #statement(scope: Scope): Piece {
    if (scope.depth >= deepestBlock) return `leak(${this.expression(scope)});`;
    const rules: Weighted<StatementRule> = this.dice.chance(0.6)
      ? plainStatements
      : hostileStatements;
    return this.dice.weigh(rules)(this, scope);
  }

  #nested(make: () => string): string {
    this.#nesting++;
    try {
      return make();
    } finally {
      this.#nesting--;
    }
  }
}
