// Results as CSV (RFC 4180): a row for each, with its index and status. The members of values that are objects
// are columns of their own; what is deeper stands there as JSON. Rows of failed tasks have their inputs.

import type { TaskInput, TaskResult } from '../client/index.ts';

/** More columns than this make a file that nobody can read: such values stand in one column, as JSON. */
const MOST_COLUMNS = 10_000;
/** Of an input, which may be a whole file: enough to know it again. */
const LONGEST_INPUT = 1_000;

type Row = TaskResult & TaskInput;

/** What the rows will need; fed with all results before the first row is written. */
export class CsvColumns {
  readonly #members = new Set<string>();
  /** Columns of the inputs of failed tasks. */
  readonly #inputs = new Set<string>();
  #hasValues = false;
  #hasErrors = false;

  add(result: Row): void {
    if (result.status !== 'completed') {
      this.#hasErrors = true;
      for (const name of inputCells(result.input).keys()) this.#inputs.add(name);
    } else if (isObject(result.value) && this.#members.size <= MOST_COLUMNS) {
      for (const name of Object.keys(result.value)) this.#members.add(name);
    } else this.#hasValues = true;
  }

  get #areMembersShown(): boolean {
    return this.#members.size <= MOST_COLUMNS;
  }

  header(): string {
    const own = this.#own();
    const members = this.#areMembersShown ? [...this.#members] : [];
    // When a member is called like one of ours all are told apart.
    const isLikeOurs = members.some((name) => own.includes(name));
    const named = isLikeOurs ? members.map((name) => `value.${name}`) : members;
    return csvRow([...own, ...named]);
  }

  row(result: Row): string {
    const isDone = result.status === 'completed';
    const value = isDone ? result.value : null;
    const members = this.#areMembersShown && isObject(value) ? value : null;
    const inputs = isDone ? none : inputCells(result.input);
    const own: Readonly<Record<string, unknown>> = {
      index: result.index,
      status: result.status,
      value: members === null ? value : null,
      error: isDone ? null : `${result.error.type}: ${result.error.message}`,
    };
    const cells = this.#areMembersShown
      ? [...this.#members].map((name) => memberOf(members, name))
      : [];
    return csvRow([
      ...this.#own().map((name) => (inputs.has(name) ? inputs.get(name) : own[name])),
      ...cells,
    ]);
  }

  #own(): readonly string[] {
    const hasValues = this.#hasValues || this.#members.size === 0 || !this.#areMembersShown;
    return [
      'index',
      'status',
      ...(hasValues ? ['value'] : []),
      ...(this.#hasErrors ? ['error'] : []),
      ...(this.#inputs.size <= MOST_COLUMNS ? this.#inputs : []),
    ];
  }
}

const none: ReadonlyMap<string, unknown> = new Map();

/** `input.rate` for each member of an object, or `input`. */
function inputCells(input: unknown): ReadonlyMap<string, unknown> {
  if (input === undefined) return none;
  if (!isObject(input)) return new Map([['input', shortened(input)]]);
  return new Map(Object.entries(input).map(([name, value]) => [`input.${name}`, shortened(value)]));
}

function shortened(value: unknown): unknown {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  if (text.length <= LONGEST_INPUT) return value;
  return `${text.slice(0, LONGEST_INPUT)}… (${text.length} characters)`;
}

/** Names like `__proto__` lead to what the value does not have itself. */
function memberOf(value: Readonly<Record<string, unknown>> | null, name: string): unknown {
  return value !== null && Object.hasOwn(value, name) ? value[name] : undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  const isComposed = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isComposed && !raw.isRawJSON(value);
}

/** What the engine has and the compiler does not know yet. */
interface RawJsonApi {
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
  ): unknown;
  rawJSON(text: string): object;
  isRawJSON(value: unknown): boolean;
}
const raw = JSON as unknown as RawJsonApi;

/** Numbers that JavaScript cannot hold keep their digits. */
export function exactResult(text: string): Row {
  return raw.parse(text, (_key, value, { source }) => {
    const isExact = typeof value !== 'number' || source === undefined || String(value) === source;
    return isExact || Number.isSafeInteger(value) ? value : raw.rawJSON(source);
  }) as Row;
}

function csvRow(cells: readonly unknown[]): string {
  return `${cells.map(csvCell).join(',')}\n`;
}

function csvCell(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return /^\s|\s$|[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
