import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { dataPath, historyOf, monthlyCloses, readHistory, readMonthlyCloses } from './history.ts';

/** The other file of the package: monthly closes to the cent, collected independently. */
function readSecondOpinion(): { month: string; close: number }[] {
  const [, ...rows] = readFileSync(dataPath('sp500.csv'), 'utf8').trim().split(/\r?\n/);
  return rows.map((row) => {
    const [date = '', close] = row.split(',');
    const day = new Date(`${date} UTC`);
    return { month: day.toISOString().slice(0, 7), close: Number(close) };
  });
}

test('every whole month of the file is there, without a gap', () => {
  const closes = readMonthlyCloses();
  expect(closes).toHaveLength(243);
  expect(closes[0]?.month).toBe('2000-01');
  expect(closes.at(-1)?.month).toBe('2020-03');
  const numbers = closes.map(
    ({ month }) => Number(month.slice(0, 4)) * 12 + Number(month.slice(5)),
  );
  expect(numbers).toEqual(numbers.map((_, index) => (numbers[0] ?? 0) + index));
});

test('the first and the last close are those of the last trading day in the file', () => {
  const rows = readFileSync(dataPath('sp500-2000.csv'), 'utf8').trim().split('\n');
  const closeOn = (month: string) => {
    const row = rows.findLast((line) => line.startsWith(month));
    return Number(row?.split(',')[4]);
  };
  const closes = readMonthlyCloses();
  expect(closes[0]?.close).toBe(closeOn('2000-01'));
  expect(closes.at(-1)?.close).toBe(closeOn('2020-03'));
});

test('the closes agree to the cent with the monthly file of the same package', () => {
  const ours = new Map(readMonthlyCloses().map(({ month, close }) => [month, close]));
  const theirs = readSecondOpinion();
  expect(theirs.length).toBeGreaterThan(100);
  // That file ends on an early day of March 2010; its last value is not a month-end close.
  for (const { month, close } of theirs.slice(0, -1)) {
    expect(ours.get(month), month).toBeCloseTo(close, 3);
  }
});

test('the returns of the history multiply to its whole growth', () => {
  const closes = readMonthlyCloses();
  const { from, to, logReturns } = readHistory();
  expect([from, to, logReturns.length]).toEqual(['2000-02', '2020-03', 242]);
  const whole = logReturns.reduce((sum, value) => sum + value, 0);
  expect(Math.exp(whole)).toBeCloseTo((closes.at(-1)?.close ?? 0) / (closes[0]?.close ?? 1), 12);
});

test('a month that has only begun is left out', () => {
  const closes = monthlyCloses('date,close\n2001-01-30,9\n2001-01-31,10\n2001-02-28,11\n');
  expect(closes).toEqual([{ month: '2001-01', close: 10 }]);
});

test('a file that is not what it was is refused with its line', () => {
  expect(() => monthlyCloses('day,price\n')).toThrow('no columns "date" and "close"');
  expect(() => monthlyCloses('date,close\n2001-01-30,0\n')).toThrow('line 2');
  expect(() => monthlyCloses('date,close\n2001-01-30,1\n2001-01-29,1\n')).toThrow('line 3');
  expect(() => historyOf([], 'nothing')).toThrow('at least two months');
});

test('without the data package the error says what to do', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'market-risk-'));
  try {
    const copy = join(folder, 'history.ts');
    copyFileSync(join(import.meta.dirname, 'history.ts'), copy);
    const alone: { readHistory: typeof readHistory } = await import(pathToFileURL(copy).href);
    expect(() => alone.readHistory()).toThrow('Run `npm install` in the checkout');
  } finally {
    rmSync(folder, { recursive: true });
  }
});
