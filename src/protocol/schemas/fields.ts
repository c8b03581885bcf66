// Building blocks of the schemas. Every block has one sentence that says all that is allowed, so that a
// sender reads what to do, whichever of its rules was broken.

import { z } from 'zod';
import { closest } from '../closest-name.ts';

export function integer(min: number, max: number) {
  const sentence = `must be an integer from ${min} to ${max}`;
  return z.int(sentence).min(min, sentence).max(max, sentence);
}

export function number(min: number, max: number) {
  const sentence = `must be a number from ${min} to ${max}`;
  return z.number(sentence).min(min, sentence).max(max, sentence);
}

/** A whole number in a query, where everything is text. */
export function queryInteger(minimum: number, maximum: number) {
  return z.coerce
    .number(`must be an integer from ${minimum} to ${maximum}`)
    .pipe(integer(minimum, maximum))
    .meta({ type: 'integer', minimum, maximum });
}

/** A date with a time and its zone; `Date.parse` also refuses dates that do not exist. */
const isoForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/;

export function queryTime() {
  const sentence = 'must be a time as in 2026-05-04T09:30:00Z';
  return z
    .string(sentence)
    .refine((time) => isoForm.test(time) && !Number.isNaN(Date.parse(time)), sentence)
    .meta({ format: 'date-time' });
}

export function queryFlag() {
  return z
    .enum(['true', 'false'], 'must be true or false')
    .meta({ type: 'boolean', enum: undefined });
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

/** An object that refuses unknown keys, and names the known ones. */
export function closed<T extends z.core.$ZodLooseShape>(shape: T) {
  const names = Object.keys(shape);
  const known = names.join(', ');
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? `has the unknown field ${quoted(issue.keys)}${meant(issue.keys[0], names)}; it may have ${known}`
        : `must be an object with ${known}`,
  });
}

function meant(key: string | undefined, names: readonly string[]): string {
  const name = key === undefined ? undefined : closest(key, names);
  return name === undefined ? '' : ` (did you mean "${name}"?)`;
}

/** Labels by name: those of a device, and those that a job asks for. */
export function labels(maxCharacters: number, maxCount: number) {
  const sentence = `must be an object of at most ${maxCount} texts`;
  return z
    .record(text(maxCharacters), z.string(sentence).max(maxCharacters, sentence), sentence)
    .refine((value) => Object.keys(value).length <= maxCount, sentence);
}

/** A UTF-16 unit takes at most three bytes of UTF-8: most texts need not be measured. */
export function isWithinBytes(source: string, limit: number): boolean {
  if (source.length > limit || source.length * 3 <= limit) return source.length <= limit;
  let bytes = 0;
  for (const character of source) {
    const code = character.codePointAt(0)!;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return bytes <= limit;
}

export const exampleTime = '2026-05-04T09:30:00.125Z';
export const exampleIds = {
  job: '0196a2f0-5b1e-7c43-9d0a-3f2b8c1d4e5f',
  task: '0196a2f0-5b1e-7c43-9d0a-3f2b8c1d4e5f.7',
  worker: '0196a2ee-91c4-7f10-8a55-6e0d1b2c3a49',
  otherWorker: '0196a2ee-a770-7b02-b1c8-2d9f4e6a8b13',
} as const;

export function timestamp(meaning?: string) {
  const form = 'ISO 8601, UTC, milliseconds';
  return z.string().meta({
    format: 'date-time',
    description: meaning === undefined ? form : `${meaning}. ${form}`,
  });
}

export function count(meaning?: string) {
  const field = z.int().min(0);
  return meaning === undefined ? field : field.describe(meaning);
}

/** A measured amount that is never negative. */
export function amount(meaning?: string) {
  const field = z.number().min(0);
  return meaning === undefined ? field : field.describe(meaning);
}

export function share(meaning: string) {
  return z.number().min(0).max(1).describe(meaning);
}

const mostQuoted = 5;
const longestQuoted = 80;

/** The first few keys, and of each the beginning: there may be thousands. */
function quoted(keys: readonly string[]): string {
  const some = keys.slice(0, mostQuoted).map((key) => {
    const begin = JSON.stringify(key.slice(0, longestQuoted));
    return key.length > longestQuoted ? `${begin}…` : begin;
  });
  return (
    some.join(', ') + (keys.length > mostQuoted ? ` and ${keys.length - mostQuoted} more` : '')
  );
}
