// Reads CSV (RFC 4180) as it comes: the first row names the columns, every other one is an input, an object of
// strings. A row may span lines where a field stands in quotes. A wrong row is told with its line.

import { CommandFailure } from '../command-failure.ts';
import { linesByPiece } from '../text-lines.ts';

/** A row that is longer than this was opened by a quote that nobody closed. */
const MOST_CHARACTERS = 16 * 1024 * 1024;
const DELIMITERS = [',', ';', '\t'];

export type CsvRow = Readonly<Record<string, string>>;

/** `onRow` is told the line on which each row begins, before it comes. */
export async function* csvRows(
  pieces: AsyncIterable<string | Uint8Array>,
  source: string,
  onRow: (line: number) => void,
): AsyncGenerator<CsvRow, void, void> {
  let header: readonly string[] | undefined;
  let delimiter = ',';
  for await (const records of recordsOf(pieces, source)) {
    for (const { text, line } of records) {
      const wrong = (what: string) => new CommandFailure('usage', `${source}:${line} ${what}.`);
      if (header === undefined) {
        delimiter = DELIMITERS.find((each) => text.includes(each)) ?? ',';
        header = fieldsOf(text, delimiter, wrong);
        checkHeader(header, wrong);
        continue;
      }
      const fields = fieldsOf(text, delimiter, wrong);
      if (fields.length !== header.length) {
        const has = fields.length === 1 ? '1 field' : `${fields.length} fields`;
        throw wrong(`has ${has}, and the header has ${header.length}`);
      }
      onRow(line);
      yield Object.fromEntries(header.map((name, i) => [name, fields[i]!]));
    }
  }
}

interface CsvRecord {
  readonly text: string;
  /** Of its beginning, from 1. */
  readonly line: number;
}

/**
 * The rows that end in each piece, without empty ones. Quotes come in pairs, also those that stand for one: a row
 * ends where they do.
 */
async function* recordsOf(
  pieces: AsyncIterable<string | Uint8Array>,
  source: string,
): AsyncGenerator<readonly CsvRecord[], void, void> {
  let text = '';
  let begin = 1;
  let isInQuotes = false;
  let line = 0;
  for await (const lines of linesByPiece(pieces, source)) {
    const records: CsvRecord[] = [];
    for (const next of lines) {
      line++;
      if (!isInQuotes) begin = line;
      text = isInQuotes ? `${text}\n${next}` : next;
      isInQuotes = isInQuotes !== hasOddQuotes(next);
      if (isInQuotes) continue;
      const row = text.endsWith('\r') ? text.slice(0, -1) : text;
      if (row !== '') records.push({ text: row, line: begin });
    }
    yield records;
    if (isInQuotes && text.length > MOST_CHARACTERS) break;
  }
  if (isInQuotes) {
    throw new CommandFailure('usage', `${source}:${begin} has a quote that is never closed.`);
  }
}

function hasOddQuotes(text: string): boolean {
  let isOdd = false;
  for (let at = text.indexOf('"'); at >= 0; at = text.indexOf('"', at + 1)) isOdd = !isOdd;
  return isOdd;
}

function fieldsOf(
  text: string,
  delimiter: string,
  wrong: (what: string) => CommandFailure,
): readonly string[] {
  if (!text.includes('"')) return text.split(delimiter);
  const fields: string[] = [];
  let at = 0;
  for (;;) {
    const isQuoted = text[at] === '"';
    const end = isQuoted ? closingQuote(text, at) + 1 : endOf(text, at, delimiter);
    const field = text.slice(at, end);
    fields.push(isQuoted ? field.slice(1, -1).replaceAll('""', '"') : field);
    if (!isQuoted && field.includes('"')) {
      throw wrong(
        `has a quote in the middle of field ${fields.length}: such a field stands in quotes`,
      );
    }
    if (end >= text.length) return fields;
    if (text[end] !== delimiter) {
      throw wrong(`has text behind the closing quote of field ${fields.length}`);
    }
    at = end + 1;
  }
}

/** Quotes come in pairs in a record, so there is one. */
function closingQuote(text: string, open: number): number {
  let at = text.indexOf('"', open + 1);
  while (text[at + 1] === '"') at = text.indexOf('"', at + 2);
  return at;
}

function endOf(text: string, from: number, delimiter: string): number {
  const end = text.indexOf(delimiter, from);
  return end < 0 ? text.length : end;
}

function checkHeader(header: readonly string[], wrong: (what: string) => CommandFailure): void {
  const empty = header.findIndex((name) => name.trim() === '');
  if (empty >= 0)
    throw wrong(`has no name for column ${empty + 1}: the first row names the columns`);
  const twice = header.find((name, i) => header.indexOf(name) !== i);
  if (twice !== undefined) throw wrong(`names the column "${twice}" twice`);
}
