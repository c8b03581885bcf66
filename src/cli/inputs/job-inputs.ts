// The inputs of a job, from a file, from stdin or as a range. Lines are read while they are sent, so
// that a million of them need no memory. Errors name the line.

import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { extname, resolve } from 'node:path';
import { RawJson } from '../../protocol/codec.ts';
import { CommandFailure } from '../command-failure.ts';
import { linesOf } from '../text-lines.ts';
import { csvRows } from './csv.ts';

export type JobInputs =
  | { readonly type: 'range'; readonly start: number; readonly count: number }
  | {
      readonly type: 'list';
      readonly values: AsyncIterable<unknown>;
      /** How many, if that is known before they are sent. */
      readonly count?: number;
      /** The place of an input by its number, counted from 1; only for inputs that have been read. */
      readonly placeOf: (number: number) => string;
    };

const LINES = new Set(['.ndjson', '.jsonl']);
const RANGE = /^(?:(-?\d+):)?(\d+)$/;
const WRONG = 'usage';

/** Reads `START:COUNT`, or `COUNT` alone: that many whole numbers, from START (or 0) on. */
export function parseRange(text: string): JobInputs {
  const [, start = '0', count] = RANGE.exec(text.trim()) ?? [];
  const range = { type: 'range', start: Number(start), count: Number(count) } as const;
  const end = range.start + range.count;
  if (Number.isSafeInteger(end) && Number.isSafeInteger(range.start) && range.count > 0) {
    return range;
  }
  throw new CommandFailure(
    WRONG,
    `"${text}" is not a range: one looks like 0:1000 (START:COUNT), or 1000.`,
  );
}

/** `source` is a path or `-` for stdin. Throws at once when there is no such file. */
export async function openInputs(
  source: string,
  folder: string,
  stdin: TextStream,
): Promise<JobInputs> {
  if (source === '-') return listOf(stdin, 'stdin');
  const file = await fileOf(source, folder);
  const extension = extname(source).toLowerCase();
  if (extension === '.json') {
    return elements(await jsonArray(file, source), source);
  }
  if (LINES.has(extension)) {
    return listOf(createReadStream(file), source);
  }
  throw new CommandFailure(
    WRONG,
    `"${source}" is not a list of inputs: it must be a .json file with an array, or an .ndjson or ` +
      '.jsonl file with one JSON value a line.',
    [
      extension === '.csv' || extension === '.tsv'
        ? `An input for every row: --csv ${source}`
        : `An input for every line, as a text: --lines ${source}`,
    ],
  );
}

/** An input for every line that is not empty, as a text. */
export async function openLines(
  source: string,
  folder: string,
  stdin: TextStream,
): Promise<JobInputs> {
  const { stream, name } = await openText(source, folder, stdin);
  return listOf(stream, name, (text) => text);
}

/** An input for every row: an object of texts, by the names in the first one. */
export async function openCsv(
  source: string,
  folder: string,
  stdin: TextStream,
): Promise<JobInputs> {
  const { stream, name } = await openText(source, folder, stdin);
  const lines = new LineNumbers();
  const values = csvRows(stream, name, (line) => lines.add(line));
  const placeOf = (number: number) => `${name}:${lines.of(number)}`;
  return { type: 'list', values: atLeastOne(values, name), placeOf };
}

/** The elements of the array in a file of JSON, whatever its name. */
export async function openEach(source: string, folder: string): Promise<JobInputs> {
  return elements(await jsonArray(await fileOf(source, folder), source), source);
}

async function openText(source: string, folder: string, stdin: TextStream) {
  if (source === '-') return { stream: stdin, name: 'stdin' };
  return { stream: createReadStream(await fileOf(source, folder)), name: source };
}

async function fileOf(source: string, folder: string): Promise<string> {
  const file = resolve(folder, source);
  const found = await stat(file).catch(() => undefined);
  if (found?.isDirectory() === true) {
    throw new CommandFailure(WRONG, `"${source}" is a folder.`, [
      `An input for every file in it: --files '${source}/*'`,
    ]);
  }
  if (found !== undefined) return file;
  const advice = /[*?[{]/.test(source) ? [`A pattern of files: --files '${source}'`] : [];
  throw new CommandFailure(WRONG, `There is no file "${source}".`, advice);
}

function elements(values: readonly unknown[], source: string): JobInputs {
  const placeOf = (number: number) => `Input ${number} of "${source}"`;
  return { type: 'list', values: eachOf(values), placeOf };
}

/**
 * Replaces the line in a refusal of the coordinator by the place of the input. The coordinator counts the
 * lines of the request, of which the first is the job.
 */
export function refusalIn(inputs: JobInputs, sentence: string): string {
  const [start, line] = /^Line (\d+)(?= )/.exec(sentence) ?? [];
  if (start === undefined || inputs.type !== 'list' || Number(line) < 2) return sentence;
  return inputs.placeOf(Number(line) - 1) + sentence.slice(start.length);
}

/** A file, or stdin. */
type TextStream = AsyncIterable<string | Uint8Array>;

/** Makes an input of a line, or throws. */
type ReadLine = (text: string, place: string) => unknown;

function listOf(stream: TextStream, source: string, readLine: ReadLine = jsonLine): JobInputs {
  const lines = new LineNumbers();
  const placeOf = (number: number) => `${source}:${lines.of(number)}`;
  return {
    type: 'list',
    values: atLeastOne(inputsOf(stream, source, readLine, lines), source),
    placeOf,
  };
}

/** On which line each input stands. Mostly one follows the other, so only the gaps are kept. */
class LineNumbers {
  #count = 0;
  #last = 0;
  readonly #gaps: { readonly number: number; readonly shift: number }[] = [];

  /** The line of the next input. */
  add(line: number): void {
    this.#count++;
    if (line !== this.#last + 1)
      this.#gaps.push({ number: this.#count, shift: line - this.#count });
    this.#last = line;
  }

  /** `number` counts from 1. */
  of(number: number): number {
    return number + (this.#gaps.findLast((gap) => gap.number <= number)?.shift ?? 0);
  }
}

async function jsonArray(file: string, source: string): Promise<readonly unknown[]> {
  let value: unknown;
  try {
    value = JSON.parse(withoutMark(await readFile(file, 'utf8')));
  } catch (error) {
    throw new CommandFailure(WRONG, `"${source}" is not JSON: ${(error as Error).message}.`, [
      'One JSON value a line? Then its name must end in .ndjson.',
    ]);
  }
  if (!Array.isArray(value)) {
    throw new CommandFailure(WRONG, `"${source}" holds no array: its elements are the inputs.`);
  }
  if (value.length === 0) throw noInputs(source);
  return value;
}

async function* eachOf(values: readonly unknown[]): AsyncGenerator<unknown, void, void> {
  yield* values;
}

async function* inputsOf(
  stream: TextStream,
  source: string,
  readLine: ReadLine,
  numbers: LineNumbers,
): AsyncGenerator<unknown, void, void> {
  let number = 0;
  for await (const text of linesOf(stream, source)) {
    number++;
    if (text.trim() === '') continue;
    const input = readLine(text, `${source}:${number}`);
    numbers.add(number);
    yield input;
  }
}

function jsonLine(text: string, place: string): RawJson {
  try {
    JSON.parse(text);
  } catch (error) {
    throw new CommandFailure(
      WRONG,
      `${place} is not a JSON value: ${(error as Error).message}.`,
      text.startsWith('{') || text.startsWith('[')
        ? []
        : ['For a text a line use --lines instead of --inputs, for rows of CSV --csv.'],
    );
  }
  return new RawJson(text);
}

async function* atLeastOne(
  values: AsyncIterable<unknown>,
  source: string,
): AsyncGenerator<unknown, void, void> {
  let count = 0;
  for await (const value of values) {
    count++;
    yield value;
  }
  if (count === 0) throw noInputs(source);
}

function noInputs(source: string): CommandFailure {
  return new CommandFailure(WRONG, `"${source}" holds no inputs: a job needs at least one.`);
}

/** Removes the byte order mark that some editors write at the start of a file. */
function withoutMark(text: string): string {
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}
