// Building blocks of the schemas. Every block carries one sentence that says all that is allowed,
// so that whoever breaks it reads what to do, whichever of its rules was broken.

import { z } from 'zod';

export function integer(min: number, max: number) {
  const sentence = `must be an integer from ${min} to ${max}`;
  return z.int(sentence).min(min, sentence).max(max, sentence);
}

export function number(min: number, max: number) {
  const sentence = `must be a number from ${min} to ${max}`;
  return z.number(sentence).min(min, sentence).max(max, sentence);
}

/** At least one character. */
export function text(maxCharacters: number) {
  const sentence = `must be a text of 1 to ${maxCharacters} characters`;
  return z.string(sentence).min(1, sentence).max(maxCharacters, sentence);
}

export function oneOf<const T extends readonly [string, ...string[]]>(values: T) {
  return z.enum(values, `must be one of ${values.join(', ')}`);
}

export function flag() {
  return z.boolean('must be true or false');
}

/** An object that knows all its keys and says so. */
export function closed<T extends z.core.$ZodLooseShape>(shape: T) {
  const known = Object.keys(shape).join(', ');
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? `has the unknown field ${quoted(issue.keys)}; it may have ${known}`
        : `must be an object with ${known}`,
  });
}

/** Words that name each other: labels of a device, labels that a job asks for. */
export function labels(maxCharacters: number, maxCount: number) {
  const sentence = `must be an object of at most ${maxCount} texts`;
  return z
    .record(text(maxCharacters), z.string(sentence).max(maxCharacters, sentence), sentence)
    .refine((value) => Object.keys(value).length <= maxCount, sentence);
}

export function timestamp() {
  return z.string().meta({ format: 'date-time', description: 'ISO 8601, UTC, milliseconds' });
}

function quoted(keys: readonly string[]): string {
  return keys.map((key) => JSON.stringify(key)).join(', ');
}
