// The inputs of a job, from a file, from stdin or as a range. Lines are read while they are sent, so
// that a million of them need no memory. Errors name the line.

import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { extname, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { RawJson } from '../protocol/codec.ts';
import { CommandFailure } from './command-failure.ts';

export type JobInputs =
  | { readonly type: 'range'; readonly start: number; readonly count: number }
  | {
      readonly type: 'list';
      readonly values: AsyncIterable<unknown>;
      /** The place of an input by its number, counted from 1; only for inputs that have been read. */
      readonly placeOf: (number: number) => string;
    };

const LINES = new Set(['.ndjson', '.jsonl']);
const RANGE = /^(-?\d+):(\d+)$/;
const WRONG = 'usage';

/** Reads `START:COUNT`: that many whole numbers, from START on. */
export function parseRange(text: string): JobInputs {
  const [, start, count] = RANGE.exec(text.trim()) ?? [];
  const range = { type: 'range', start: Number(start), count: Number(count) } as const;
  const end = range.start + range.count;
  if (Number.isSafeInteger(end) && Number.isSafeInteger(range.start) && range.count > 0) {
    return range;
  }
  throw new CommandFailure(WRONG, `"${text}" is not a range: one looks like 0:1000 (START:COUNT).`);
}

/** `source` is a path or `-` for stdin. Throws at once when there is no such file. */
export async function openInputs(
  source: string,
  folder: string,
  stdin: NodeJS.ReadableStream,
): Promise<JobInputs> {
  if (source === '-') return listOf(stdin, 'stdin');
  const file = resolve(folder, source);
  const found = await stat(file).catch(() => undefined);
  if (found === undefined) throw new CommandFailure(WRONG, `There is no file "${source}".`);
  if (found.isDirectory()) throw new CommandFailure(WRONG, `"${source}" is a folder.`);
  const extension = extname(source).toLowerCase();
  if (extension === '.json') {
    const values = await jsonArray(file, source);
    const placeOf = (number: number) => `Input ${number} of "${source}"`;
    return { type: 'list', values: eachOf(values), placeOf };
  }
  if (LINES.has(extension)) {
    return listOf(createReadStream(file), source);
  }
  throw new CommandFailure(
    WRONG,
    `"${source}" is not a list of inputs: it must be a .json file with an array, or an .ndjson or ` +
      '.jsonl file with one JSON value a line.',
  );
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

function listOf(stream: NodeJS.ReadableStream, source: string): JobInputs {
  const emptyLines: number[] = [];
  const placeOf = (number: number) => {
    let line = number;
    for (const empty of emptyLines) if (empty <= line) line++;
    return `${source}:${line}`;
  };
  return { type: 'list', values: jsonLines(stream, source, emptyLines), placeOf };
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

async function* jsonLines(
  stream: NodeJS.ReadableStream,
  source: string,
  emptyLines: number[],
): AsyncGenerator<RawJson, void, void> {
  const lines = createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY });
  let number = 0;
  let count = 0;
  for await (const line of lines) {
    number++;
    const text = number === 1 ? withoutMark(line) : line;
    if (text.trim() === '') {
      emptyLines.push(number);
      continue;
    }
    try {
      JSON.parse(text);
    } catch (error) {
      throw new CommandFailure(
        WRONG,
        `${source}:${number} is not a JSON value: ${(error as Error).message}.`,
      );
    }
    count++;
    yield new RawJson(text);
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
