// Whether a minifier has been at the source of a function. It renames what a function refers to, but not the
// keys of `with`: then a name says nothing about the value that it stood for.

import type { Token } from 'acorn';

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

/** Whether the SDK itself was minified: whoever did that did the same to the functions beside it. */
export function isSdkMinified(): boolean {
  const probe = (aNameThatOnlyMinifiersChange: unknown) => aNameThatOnlyMinifiersChange;
  return !Function.prototype.toString.call(probe).includes('aNameThatOnlyMinifiersChange');
}
