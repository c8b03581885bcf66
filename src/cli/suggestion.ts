// Suggestions (`Did you mean …`): the known name that is most similar to an unknown one.

import { closest } from '../protocol/closest-name.ts';

export function didYouMean(given: string, names: readonly string[]): readonly string[] {
  const name = closest(given, names);
  return name === undefined ? [] : [`Did you mean "${name}"?`];
}
