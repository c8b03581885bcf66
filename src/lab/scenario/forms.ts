// Building blocks of the schema of scenarios that say in our own words what is wrong.

import { z } from 'zod';
import { closest } from '../../protocol/closest-name.ts';

/** 1 to `most` items. */
export function listOf<T extends z.ZodType>(item: T, most: number) {
  const sentence = `must be a list of 1 to ${most}`;
  return z.array(item, sentence).min(1, sentence).max(most, sentence);
}

/** What is inside of `form`; its bounds stand beside it, and people write them inside. */
export function meanAndCv<T extends z.ZodNumber>(mean: T, form: string) {
  const sentence = 'must be a number of at least 0';
  const cv = z.number(sentence).min(0, sentence).max(1e9, sentence);
  return z.strictObject(
    { mean, cv },
    {
      error: (issue) => {
        if (issue.code !== 'unrecognized_keys') return 'must be an object with mean, cv';
        const [key = ''] = issue.keys;
        return key === 'at_least' || key === 'at_most'
          ? `has ${key}, which belongs beside ${form}: {"${form}": {…}, "${key}": …}`
          : `has the unknown field "${key}"; it may have mean, cv`;
      },
    },
  );
}

/** The message of a union whose members are told apart by their fields. `words`: the forms, for people. */
export function oneOfForms(words: string, forms: readonly z.ZodObject[]) {
  const names = forms.flatMap(({ shape }) => Object.keys(shape));
  const error = (issue: { readonly input?: unknown }): string => {
    const unknown = keysOf(issue.input).find((key) => !names.includes(key));
    if (unknown === undefined) return `must be ${words}`;
    const meant = closest(unknown, names);
    const hint = meant === undefined ? '' : ` (did you mean "${meant}"?)`;
    return `has the unknown field ${JSON.stringify(unknown.slice(0, 80))}${hint}; it must be ${words}`;
  };
  return { error };
}

export function keysOf(value: unknown): readonly string[] {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.keys(value)
    : [];
}
