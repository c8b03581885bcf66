// What the rules of the grammar need of each other: each file of rules knows this interface only.

import type { Dice } from '../dice.ts';
import type { Piece } from '../program-tree.ts';
import type { Scope } from './scope.ts';
import type { Vocabulary } from './vocabulary.ts';

export interface Maker {
  readonly dice: Dice;
  readonly vocabulary: Vocabulary;
  /** Of any kind, in brackets where it needs them. */
  expression(scope: Scope): string;
  /** An expression whose value is a function, most of the time. */
  callable(scope: Scope): string;
  /** A few statements. */
  block(scope: Scope): Piece[];
}

export const variables = ['a', 'b', 'c', 'd', 'e'] as const;

/** Up to three, some of them spread. */
export function argumentsOf(make: Maker, scope: Scope): string {
  const count = make.dice.below(4);
  return Array.from({ length: count }, () => {
    const spread = make.dice.chance(0.06) ? '...' : '';
    return spread + (make.dice.chance(0.2) ? make.callable(scope) : make.expression(scope));
  }).join(', ');
}
