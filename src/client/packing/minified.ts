// Whether a minifier has been at the source of a function. It renames what a function refers to, but not the
// keys of `with`: then a name says nothing about the value that it stood for.

import type { Token } from 'acorn';
import type { ScopeManager, Variable } from 'eslint-scope';

/** Minifiers leave out every space that the language does not ask for, and nobody who writes by hand does. */
export function looksMinified(source: string, tokens: readonly Token[]): boolean {
  return tokens.every((token, index) => {
    const next = tokens[index + 1];
    return next === undefined || isNeeded(source, token.end, next.start);
  });
}

// Bundlers read `@__PURE__` in what was minified.
const KEPT_COMMENT = /\/\*\s*[@#]__\w+__\s*\*\//g;

function isNeeded(source: string, from: number, to: number): boolean {
  const gap = source.slice(from, to).replaceAll(KEPT_COMMENT, '');
  // A line may be broken where it would be too long.
  if (gap === '' || gap === '\n') return true;
  const around = `${source[from - 1]}${source[to]}`;
  return (
    gap === ' ' && (/^[\p{L}\p{N}_$#]{2}$/u.test(around) || around === '++' || around === '--')
  );
}

const LONGEST_SHORT_NAME = 3;

/** Whether a minifier might have given the name to anything. */
export function isShort(name: string): boolean {
  return name.length <= LONGEST_SHORT_NAME;
}

/**
 * Whether a parameter or variable of the function has a name that no minifier gives: then its names are those that
 * were written. Of functions and classes they tell nothing, as minifiers can be told to keep those; nor do
 * names with a dash below in front, which compilers give.
 */
export function hasOwnNames({ scopes }: ScopeManager): boolean {
  return scopes.flatMap(({ variables }) => variables).some(hasOwnName);
}

function hasOwnName({ name, defs, references }: Variable): boolean {
  if (!/^[A-Za-z]{4}/.test(name)) return false;
  const isVariable = defs.some(({ type }) => OF_VALUES.has(type));
  const isNamedFunction = references.some(({ writeExpr }) =>
    /Function|Class/.test(writeExpr?.type ?? ''),
  );
  return isVariable && !isNamedFunction;
}

const OF_VALUES = new Set(['Parameter', 'CatchClause', 'Variable']);

/** Whether the SDK itself was minified: whoever did that did the same to the functions beside it. */
export function isSdkMinified(): boolean {
  const probe = (aNameThatOnlyMinifiersChange: unknown) => aNameThatOnlyMinifiersChange;
  return !Function.prototype.toString.call(probe).includes('aNameThatOnlyMinifiersChange');
}
