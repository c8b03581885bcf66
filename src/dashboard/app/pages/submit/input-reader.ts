// Reads inputs of a text or a file in pieces, so that a file may be larger than the memory of the page. What is
// wrong is told with its line.

import { csvRows, InputFault } from '../../../../client/csv.ts';
import { RawJson } from '../../../../protocol/codec.ts';
import { Place } from '../../../../protocol/json-places.ts';
import { JsonScanner } from '../../../../protocol/json-scanner.ts';
import type { InputFormat } from './input-format.ts';

export interface ReadInput {
  readonly value: unknown;
  /** On which it begins, from 1. */
  readonly line: number;
}

/** A file of JSON is one value, and is read as a whole. */
export const mostJsonBytes = 64_000_000;

export async function* readInputs(
  format: Exclude<InputFormat, 'range'>,
  source: Blob,
): AsyncGenerator<ReadInput, void, void> {
  if (format === 'json') {
    yield* elementsOf(source);
    return;
  }
  if (format === 'csv') {
    for await (const { line, row } of csvRows(linesOf(source))) yield { value: row, line };
    return;
  }
  let line = 0;
  for await (const lines of linesOf(source)) {
    for (const text of lines) {
      line++;
      if (text.trim() === '') continue;
      const value = format === 'lines' ? withoutReturn(text) : checked(text, line);
      yield { value, line };
    }
  }
}

/** The lines that end in each piece, without the mark at the beginning that some editors write. */
async function* linesOf(source: Blob): AsyncGenerator<readonly string[], void, void> {
  let begun = '';
  let line = 1;
  const reader = source.stream().getReader();
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for (;;) {
      const { done, value } = await reader.read();
      const lines = (begun + decoded(decoder, value, line)).split('\n');
      begun = lines.pop()!;
      line += lines.length;
      if (lines.length > 0) yield lines;
      if (!done) continue;
      if (begun !== '') yield [begun];
      return;
    }
  } finally {
    await reader.cancel();
  }
}

function decoded(decoder: TextDecoder, piece: Uint8Array | undefined, line: number): string {
  try {
    return piece === undefined ? decoder.decode() : decoder.decode(piece, { stream: true });
  } catch {
    throw new InputFault(line, 'or a later one is no text in UTF-8: save the file as UTF-8');
  }
}

const withoutReturn = (text: string) => (text.endsWith('\r') ? text.slice(0, -1) : text);

/** As it was written: its numbers may be larger than JavaScript can hold. */
function checked(line: string, number: number): RawJson {
  const text = line.trim();
  try {
    JSON.parse(text);
  } catch {
    const scanner = new JsonScanner(new TextEncoder().encode(text));
    scanner.scan();
    throw new InputFault(number, `is ${scanner.problem ?? 'not valid JSON'}`);
  }
  return new RawJson(text);
}

const list = Place.tree([{ steps: [], cut: 'list' }]);
const scannedAtOnce = 2_000_000;

async function* elementsOf(source: Blob): AsyncGenerator<ReadInput, void, void> {
  if (source.size > mostJsonBytes) {
    const most = `${mostJsonBytes / 1e6} MB`;
    const what = `begins more than ${most} of JSON, which are not read at once: write one value a line (NDJSON), of which there may be any number`;
    throw new InputFault(1, what);
  }
  const whole = new Uint8Array(await source.arrayBuffer());
  const bytes = whole.subarray(hasMark(whole) ? 3 : 0);
  const scanner = new JsonScanner(bytes, list);
  while (!scanner.scan(scannedAtOnce)) await new Promise((resolve) => setTimeout(resolve));
  if (scanner.problem !== null) throw faultOfText(scanner.problem, bytes);
  const [cut] = scanner.cuts;
  if (cut === undefined || cut.elements === null) {
    throw new InputFault(1, 'begins no array: the elements of one are the inputs');
  }
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let line = 1;
  let at = 0;
  for (let i = 0; i < cut.elements.length; i += 2) {
    const from = cut.elements.at(i);
    for (; at < from; at++) if (bytes[at] === lineFeed) line++;
    // It is sent on one line; texts hold no breaks of lines, only what stands between does.
    const text = decoder.decode(bytes.subarray(from, cut.elements.at(i + 1)));
    yield { value: new RawJson(text.replaceAll(/[\r\n]/g, ' ')), line };
  }
}

const lineFeed = 0x0a;

const hasMark = (bytes: Uint8Array) => bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;

/** The scanner tells the line among its words, unless it is the first, or the text ends too early. */
function faultOfText(problem: string, bytes: Uint8Array): InputFault {
  const [words = '', told] = /in line (\d+) /.exec(problem) ?? [];
  const line = told ?? (problem.includes('too early') ? lastLine(bytes) : 1);
  return new InputFault(Number(line), `is ${problem.replace(words, '')}`);
}

function lastLine(bytes: Uint8Array): number {
  return new TextDecoder().decode(bytes).trimEnd().split('\n').length;
}
