// The real input: daily closes of the S&P 500 from the npm package `vega-datasets`, reduced to one
// close a month. The file is read where npm put it; no value of it is written down here.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const FILE = 'sp500-2000.csv';

export type MonthlyClose = { readonly month: string; readonly close: number };

/** What travels inside the program. `from` and `to` are the months (`YYYY-MM`) of the first and
 * the last return; `logReturns[i]` = ln(close of a month / close of the month before). */
export type History = {
  readonly source: string;
  readonly from: string;
  readonly to: string;
  readonly logReturns: readonly number[];
};

/** Throws an `Error` that says what to do when the data package is missing or its file has changed. */
export function readHistory(): History {
  return historyOf(readMonthlyCloses(), `S&P 500 price index, vega-datasets ${FILE}`);
}

/** The last close of every whole month of the file, oldest first. */
export function readMonthlyCloses(): MonthlyClose[] {
  return monthlyCloses(readFileSync(dataPath(FILE), 'utf8'));
}

export function dataPath(file: string): string {
  try {
    // The package exports no data file by name, so we start from its entry point, `build/index.js`.
    const entry = createRequire(import.meta.url).resolve('vega-datasets');
    return join(dirname(entry), '..', 'data', file);
  } catch (cause) {
    throw new Error(
      'The sample data is missing: the npm package "vega-datasets" is not installed. ' +
        'Run `npm install` in the checkout of muster (it is a development dependency).',
      { cause },
    );
  }
}

/** Daily rows `date,open,high,low,close,…` → month-end closes. A month counts only once a later
 * month has begun: the file ends in the middle of one, and half a month is not a monthly return. */
export function monthlyCloses(csv: string): MonthlyClose[] {
  const [header, ...rows] = csv.trim().split(/\r?\n/);
  const columns = (header ?? '').split(',');
  const dateColumn = columns.indexOf('date');
  const closeColumn = columns.indexOf('close');
  if (dateColumn < 0 || closeColumn < 0) {
    throw new Error(`${FILE} has no columns "date" and "close", but: ${header}`);
  }
  const closes: MonthlyClose[] = [];
  let previous: { date: string; close: number } | undefined;
  for (const [index, row] of rows.entries()) {
    const cells = row.split(',');
    const date = cells[dateColumn] ?? '';
    const close = Number(cells[closeColumn]);
    if (!/^\d{4}-\d\d-\d\d$/.test(date) || !(close > 0) || (previous && date <= previous.date)) {
      throw new Error(`${FILE}, line ${index + 2}: not a later day with a close above 0: ${row}`);
    }
    if (previous && previous.date.slice(0, 7) !== date.slice(0, 7)) {
      closes.push({ month: previous.date.slice(0, 7), close: previous.close });
    }
    previous = { date, close };
  }
  return closes;
}

export function historyOf(closes: readonly MonthlyClose[], source: string): History {
  const first = closes[1];
  const last = closes.at(-1);
  if (!first || !last) throw new Error('A history needs the closes of at least two months.');
  const logReturns = closes
    .slice(1)
    .map(({ close }, index) => Math.log(close / (closes[index] as MonthlyClose).close));
  return { source, from: first.month, to: last.month, logReturns };
}
