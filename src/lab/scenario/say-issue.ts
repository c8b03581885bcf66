// What is wrong with a scenario, in a sentence that begins with the place.

import type { z } from 'zod';
import { keysOf } from './forms.ts';

type Issue = z.ZodError['issues'][number];

/** `input`: what was checked. */
export function sayIssue({ issues }: z.ZodError, input: unknown): string {
  const issue = innermost(mostTelling(issues), input);
  const isMissing = issue.path.length > 0 && valueAt(input, issue.path) === undefined;
  return `${placeOf(issue.path)} ${isMissing ? 'is missing' : issue.message}`;
}

/** `jobs[0].work_seconds` */
function placeOf(path: Issue['path']): string {
  const place = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`));
  return path.length === 0 ? 'the file' : place.join('').replace(/^\./, '');
}

/** A field that is missing is often there under a wrong name. */
function mostTelling(issues: readonly Issue[]): Issue {
  const first = issues[0]!;
  const parent = first.path.slice(0, -1).join('/');
  const unknown = issues.find(
    ({ code, path }) => code === 'unrecognized_keys' && path.join('/') === parent,
  );
  return unknown ?? first;
}

/** Where several forms are possible, the one that was meant tells what is wrong. */
function innermost(issue: Issue, input: unknown): Issue {
  if (issue.code !== 'invalid_union') return issue;
  const found = meantIssues(issue.errors, valueAt(input, issue.path));
  if (found === null) return issue;
  const inner = mostTelling(found);
  return innermost({ ...inner, path: [...issue.path, ...inner.path] }, input);
}

/** Of a number what is wrong with it as a number; else of the form that alone knows most of the fields. */
function meantIssues(
  errors: readonly (readonly Issue[])[],
  value: unknown,
): readonly Issue[] | null {
  if (typeof value === 'number') {
    return errors.find((issues) => issues.every(isOfNumber)) ?? null;
  }
  const keys = keysOf(value).length;
  const known = errors.map((issues) => (issues.some(isOtherKind) ? 0 : keys - unknownKeys(issues)));
  const most = Math.max(...known);
  const isOne = most > 0 && known.filter((each) => each === most).length === 1;
  return isOne ? errors[known.indexOf(most)]! : null;
}

function isOfNumber({ path, ...issue }: Issue): boolean {
  const isObject = issue.code === 'invalid_type' && issue.expected === 'object';
  return path.length === 0 && !isObject;
}

function isOtherKind({ path, code }: Issue): boolean {
  return path.length === 0 && code === 'invalid_type';
}

function unknownKeys(issues: readonly Issue[]): number {
  return issues.reduce(
    (sum, issue) =>
      issue.code === 'unrecognized_keys' && issue.path.length === 0 ? sum + issue.keys.length : sum,
    0,
  );
}

function valueAt(input: unknown, path: Issue['path']): unknown {
  return path.reduce<unknown>(
    (value, part) =>
      typeof value === 'object' && value !== null
        ? (value as Record<PropertyKey, unknown>)[part]
        : undefined,
    input,
  );
}
