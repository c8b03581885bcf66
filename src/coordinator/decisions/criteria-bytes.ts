// The criteria of the rows of one ranking as JSON, put together of bytes that rows with equal values share: with
// thousands of workers most values come more than once, and to write a number takes longer than to look one up.

import type { RankedColumn } from '../../scheduling/scheduler.ts';

/** Where bytes are written one behind the other. There is room. */
export interface Written {
  put(bytes: Uint8Array): void;
  write(text: string): void;
}

export class CriteriaBytes {
  /** No row has more. */
  readonly mostBytes: number;
  readonly #parts: readonly (Uint8Array | ColumnBytes)[];

  constructor(columns: readonly RankedColumn[], rows: number) {
    const parts: (Uint8Array | ColumnBytes)[] = [];
    let constant = '{';
    columns.forEach((column, place) => {
      const text = new ColumnBytes(column, place === 0);
      if (isConstant(column, rows)) constant += text.textOf(0);
      else {
        if (constant !== '') parts.push(Buffer.from(constant));
        constant = '';
        parts.push(text);
      }
    });
    parts.push(Buffer.from(`${constant}}`));
    this.#parts = parts;
    this.mostBytes = parts.reduce(
      (sum, part) => sum + (part instanceof ColumnBytes ? part.mostBytes : part.length),
      0,
    );
  }

  /** The criteria of the row, an object. */
  write(row: number, to: Written): void {
    const parts = this.#parts;
    for (let place = 0; place < parts.length; place++) {
      const part = parts[place]!;
      if (part instanceof ColumnBytes) part.write(row, to);
      else to.put(part);
    }
  }
}

/** What is the same in all rows is one text with what stands beside it. */
function isConstant(
  { values, imputed, projected, isPresent }: RankedColumn,
  rows: number,
): boolean {
  for (let row = 1; row < rows; row++) {
    if (imputed[row] !== imputed[0] || projected[row] !== projected[0]) return false;
    if (isPresent && values[row] !== values[0]) return false;
  }
  return rows > 0;
}

/** What is said of a row beside its value: whether it is imputed, and whether it is projected. */
const kinds = 4;
/** A power of two. */
const places = 512;
/** Of any number that JSON has. */
const mostNumberBytes = 25;

class ColumnBytes {
  readonly mostBytes: number;
  readonly #column: RankedColumn;
  readonly #before: string;
  readonly #between: string;
  readonly #after: readonly string[];
  // What was written of some values, each in the place that its digits name: another that has the same place takes it.
  // A map costs more than it saves where most values are different. Bytes are made when a text is written again.
  readonly #values = new Float64Array(places).fill(Number.NaN);
  readonly #kinds = new Uint8Array(places);
  readonly #written: (string | Uint8Array)[] = [];

  constructor(column: RankedColumn, isFirst: boolean) {
    this.#column = column;
    this.#before = `${isFirst ? '' : ','}${JSON.stringify(column.id)}:{"value":`;
    this.#between = `,"weight":${numberText(column.weight)},"contribution":`;
    const kind = JSON.stringify(column.kind);
    this.#after = Array.from(
      { length: kinds },
      (_, at) => `,"kind":${kind},"imputed":${at % 2 === 1},"projected":${at > 1}}`,
    );
    const fixed = this.#before.length + this.#between.length + this.#after[0]!.length;
    this.mostBytes = fixed + 2 * mostNumberBytes;
  }

  write(row: number, to: Written): void {
    const { values, imputed, projected } = this.#column;
    const value = values[row]!;
    const kind = imputed[row]! + 2 * projected[row]!;
    const place = placeOf(value);
    if (this.#values[place] !== value || this.#kinds[place] !== kind) {
      const text = this.textOf(row);
      this.#values[place] = value;
      this.#kinds[place] = kind;
      this.#written[place] = text;
      return to.write(text);
    }
    let written = this.#written[place]!;
    if (typeof written === 'string') this.#written[place] = written = Buffer.from(written);
    to.put(written);
  }

  textOf(row: number): string {
    const { values, imputed, projected, isPresent } = this.#column;
    const value = values[row]!;
    const contribution = numberText(this.#column.contributionOf(value));
    const after = this.#after[imputed[row]! + 2 * projected[row]!]!;
    const shown = isPresent ? numberText(value) : 'null';
    return this.#before + shown + this.#between + contribution + after;
  }
}

function placeOf(value: number): number {
  return (value ^ (value * 4096)) & (places - 1);
}

/** As `JSON.stringify` writes it, which costs more for a single number. */
export function numberText(value: number | null): string {
  return value !== null && Number.isFinite(value) ? `${value}` : 'null';
}
