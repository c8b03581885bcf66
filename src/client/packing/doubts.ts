// Whether names are what they seem. A minifier renames what a function refers to, and not the keys of `with`: the
// short name that it gives may be a key that stands for something else. No value is matched with such a name.

import type { ScopeManager } from 'eslint-scope';
import type { Capture } from './captures.ts';
import type { FunctionSource } from './function-source.ts';
import { askedFor, takesAll } from './handing.ts';
import { isSdkMinified, isShort } from './minified.ts';

/** A function with what is known of its names. */
export interface Examined {
  readonly source: FunctionSource;
  readonly scopes: ScopeManager;
  readonly captures: readonly Capture[];
  /** A name in it is none that a minifier gives. */
  readonly hasOwnNames: boolean;
}

export type Doubt =
  /** Its names are those of a minifier. */
  | { readonly kind: 'minified' }
  /** There are keys that nobody uses by their names, perhaps because these became others. */
  | { readonly kind: 'unused'; readonly keys: readonly string[] }
  /** They may have been exchanged: nothing shows that they are those that were written. */
  | { readonly kind: 'exchanged' };

/** Whether its names may be those of a minifier. */
export function mayBeMangled({ hasOwnNames }: Pick<Examined, 'hasOwnNames'>): boolean {
  return !hasOwnNames || isSdkMinified();
}

/** Why a short name in the function may be another than the key of `with`; null: it is that key. */
export function doubtOf(
  examined: Examined,
  keys: readonly string[],
  { unused, names }: Uses,
): Doubt | null {
  if (isSdkMinified()) return { kind: 'minified' };
  if (unused.length > 0) return { kind: 'unused', keys: unused };
  if (examined.hasOwnNames) return null;
  // A minifier gives different names to what is different, and none of them is long: what still has a long name is not
  // renamed anywhere, and where a single key is left, that one is itself.
  const others = keys.filter((key) => key !== examined.source.key);
  const isCertain = others.filter((key) => isShort(key) || !names.has(key)).length <= 1;
  if (isCertain) return null;
  return examined.source.isMinified ? { kind: 'minified' } : { kind: 'exchanged' };
}

export interface Uses {
  /** All names from outside that are used. */
  readonly names: ReadonlySet<string>;
  /** Keys that no function uses, neither by the name nor from the third parameter. */
  readonly unused: readonly string[];
}

export function usesOf(
  keys: readonly string[],
  all: readonly Examined[],
  /** Names that a program that is text uses. */
  inText: readonly string[],
): Uses {
  const names = new Set([
    ...inText,
    ...all.flatMap(({ captures }) => captures.map(({ name }) => name)),
  ]);
  const main = all.find(({ source }) => source.key === null)?.source;
  if (main !== undefined && takesAll(main)) return { names, unused: [] };
  const taken = main === undefined ? [] : askedFor(main).map(({ name }) => name);
  return { names, unused: keys.filter((key) => !names.has(key) && !taken.includes(key)) };
}
