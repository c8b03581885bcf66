// Reads CSV (RFC 4180): the first row names the columns, every other one is an input, an object of strings. A row
// may span lines where a field stands in quotes. The command line and the dashboard read it alike.

/** A row that is longer than this was opened by a quote that nobody closed. */
const MOST_CHARACTERS = 16 * 1024 * 1024;
const DELIMITERS = [',', ';', '\t'];

export type CsvRow = Readonly<Record<string, string>>;

/** What is wrong in a list of inputs, and on which line, counted from 1. */
export class InputFault extends Error {
  override readonly name = 'InputFault';
  readonly line: number;
  /** The rest of a sentence that begins with the line. */
  readonly what: string;

  constructor(line: number, what: string) {
    super(`Line ${line} ${what}.`);
    this.line = line;
    this.what = what;
  }
}

/** `lines`: without the line feeds, those of a piece of the file together. */
export async function* csvRows(
  lines: AsyncIterable<readonly string[]>,
): AsyncGenerator<{ readonly line: number; readonly row: CsvRow }, void, void> {
  let header: readonly string[] | undefined;
  let delimiter = ',';
  for await (const records of recordsOf(lines)) {
    for (const { text, line } of records) {
      if (header === undefined) {
        delimiter = DELIMITERS.find((each) => text.includes(each)) ?? ',';
        header = fieldsOf(text, delimiter, line);
        checkHeader(header, line);
        continue;
      }
      const fields = fieldsOf(text, delimiter, line);
      if (fields.length !== header.length) {
        const has = fields.length === 1 ? '1 field' : `${fields.length} fields`;
        throw new InputFault(line, `has ${has}, and the header has ${header.length}`);
      }
      yield { line, row: Object.fromEntries(header.map((name, i) => [name, fields[i]!])) };
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
  pieces: AsyncIterable<readonly string[]>,
): AsyncGenerator<readonly CsvRecord[], void, void> {
  let text = '';
  let begin = 1;
  let isInQuotes = false;
  let line = 0;
  for await (const lines of pieces) {
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
  if (isInQuotes) throw new InputFault(begin, 'has a quote that is never closed');
}

function hasOddQuotes(text: string): boolean {
  let isOdd = false;
  for (let at = text.indexOf('"'); at >= 0; at = text.indexOf('"', at + 1)) isOdd = !isOdd;
  return isOdd;
}

function fieldsOf(text: string, delimiter: string, line: number): readonly string[] {
  if (!text.includes('"')) return text.split(delimiter);
  const fields: string[] = [];
  let at = 0;
  for (;;) {
    const isQuoted = text[at] === '"';
    const end = isQuoted ? closingQuote(text, at) + 1 : endOf(text, at, delimiter);
    const field = text.slice(at, end);
    fields.push(isQuoted ? field.slice(1, -1).replaceAll('""', '"') : field);
    if (!isQuoted && field.includes('"')) {
      throw new InputFault(
        line,
        `has a quote in the middle of field ${fields.length}: such a field stands in quotes`,
      );
    }
    if (end >= text.length) return fields;
    if (text[end] !== delimiter) {
      throw new InputFault(line, `has text behind the closing quote of field ${fields.length}`);
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

function checkHeader(header: readonly string[], line: number): void {
  const empty = header.findIndex((name) => name.trim() === '');
  if (empty >= 0) {
    const what = `has no name for column ${empty + 1}: the first row names the columns`;
    throw new InputFault(line, what);
  }
  const twice = header.find((name, i) => header.indexOf(name) !== i);
  if (twice !== undefined) throw new InputFault(line, `names the column "${twice}" twice`);
}
