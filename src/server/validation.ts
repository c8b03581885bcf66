// Checks values from outside against their schemas, and says in sentences what is wrong: the field, what
// is allowed (from the schema), what was given.

import type { FastifySchemaCompiler } from 'fastify';
import type { z } from 'zod';
import { Refusal, shown } from './refusal.ts';

const mostErrors = 20;

/** Throws a `Refusal` (`validation_failed`); its sentences call the value `subject` ("The body"). */
export function validated<T>(schema: z.ZodType<T>, value: unknown, subject: string): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw invalid(result.error.issues, value, subject);
}

/** The framework validates parameters and queries with it; bodies are validated where they are read. */
export const validatorCompiler: FastifySchemaCompiler<z.ZodType> = ({ schema, httpPart }) => {
  if (httpPart === 'body') return (value) => ({ value });
  const subject = httpPart === 'querystring' ? 'The query' : 'The path';
  return (value) => {
    const result = schema.safeParse(value);
    if (result.success) return { value: result.data };
    return { error: invalid(result.error.issues, value, subject) };
  };
};

/** A sentence about the first issue; null when the value fits the schema. */
export function problemOf(schema: z.ZodType, value: unknown, subject: string): string | null {
  const result = schema.safeParse(value);
  if (result.success) return null;
  return sentence(result.error.issues[0]!, value, subject);
}

/** A sentence about the first entry of a list that fails a quick check; null when there is none. */
export function entryProblem(
  schema: z.ZodType,
  isFine: (entry: unknown) => boolean,
  list: unknown,
  name: string,
): string | null {
  if (!Array.isArray(list)) return null;
  const index = list.findIndex((entry) => !isFine(entry));
  if (index < 0) return null;
  const problem = problemOf(schema, list[index], 'the attempt');
  return problem === null ? null : `${name}[${index}]: ${problem}`;
}

function invalid(issues: readonly z.core.$ZodIssue[], value: unknown, subject: string): Refusal {
  const first = sentence(issues[0]!, value, subject);
  const more = issues.length > 1 ? ` (${issues.length - 1} more in "errors".)` : '';
  const errors = issues
    .slice(0, mostErrors)
    .map((issue) => ({ path: pathText(issue.path), message: issue.message }));
  return new Refusal('validation_failed', first + more, errors);
}

function sentence(issue: z.core.$ZodIssue, value: unknown, subject: string): string {
  const where = issue.path.length === 0 ? subject : pathText(issue.path);
  return `${where} ${issue.message}${remark(issue, valueAt(value, issue.path))}.`;
}

/** Fields whose value is not said again: it may be, or have in it, what nobody else should know. */
const hushed: ReadonlySet<PropertyKey | undefined> = new Set(['secret', 'url', 'token']);

function remark(issue: z.core.$ZodIssue, given: unknown): string {
  if (issue.code === 'unrecognized_keys' || hushed.has(issue.path.at(-1))) return '';
  if (given === undefined) return '; it is missing';
  if (Array.isArray(given)) return `; an array of ${given.length} was given`;
  if (typeof given === 'object' && given !== null)
    return issue.path.length === 0 ? '' : '; an object was given';
  if (typeof given === 'string' && given.length > 80) {
    return `; a text of ${given.length} characters was given`;
  }
  return `; ${shown(given)} was given`;
}

function pathText(path: readonly PropertyKey[]): string {
  let text = '';
  for (const key of path) {
    if (typeof key === 'number') text += `[${key}]`;
    else text += text === '' ? shortened(key) : `.${shortened(key)}`;
  }
  return text;
}

function shortened(key: PropertyKey): string {
  const text = String(key);
  return text.length <= 80 ? text : `${text.slice(0, 80)}…`;
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let at: unknown = value;
  for (const key of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Record<PropertyKey, unknown>)[key];
  }
  return at;
}
