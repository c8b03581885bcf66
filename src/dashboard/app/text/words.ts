// Sentences are made of these.

import { grouped } from './numbers.ts';

const small = [
  'no',
  'one',
  'two',
  'three',
  'four',
  'five',
  'six',
  'seven',
  'eight',
  'nine',
  'ten',
  'eleven',
  'twelve',
];

/** `1 task`, `12 tasks`; `1 204 tasks`. */
export function counted(count: number, one: string, many: string = `${one}s`): string {
  return `${grouped(count)} ${count === 1 ? one : many}`;
}

/** In words up to twelve: `three jobs`, `no job`. */
export function inWords(count: number, one: string, many: string = `${one}s`): string {
  const number = small[count] ?? grouped(count);
  return `${number} ${count === 1 || count === 0 ? one : many}`;
}

export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** `a`, `a and b`, `a, b and c`. */
export function listed(parts: readonly string[]): string {
  if (parts.length < 2) return parts.join('');
  return `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
}

/** The first of them, and how many more: `a, b, c and 4 more`. */
export function listedFirst(parts: readonly string[], most = 3): string {
  const more = parts.length - most;
  return listed(more > 0 ? [...parts.slice(0, most), `${grouped(more)} more`] : parts);
}

/** As on the command line: the beginning of an id, which is enough to find it again. */
export function shortId(id: string): string {
  return id.length <= 13 ? id : id.slice(0, 13);
}

/** The order of names: `desk-2` before `desk-10`. */
export const compareNames = new Intl.Collator('en', { numeric: true }).compare;

/** What people call it, else the beginning of its id. */
export function nameOf({
  name,
  id,
}: {
  readonly name: string | null;
  readonly id: string;
}): string {
  return name === null || name === '' ? shortId(id) : directed(name);
}

/** Signs that turn the direction of all that follows them, numbers too, are seen instead of obeyed. */
function directed(name: string): string {
  return name.replaceAll(/[\u202a-\u202e\u2066-\u2069]/g, '\ufffd');
}
