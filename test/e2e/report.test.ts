// A report of a comparison in a real browser: it asks for nothing, everybody can use it, and what a scenario is called
// stays text.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { AxeResults } from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { algorithmIds } from '../../src/core/snapshot.ts';
import { htmlReport } from '../../src/lab/report/html-report.ts';
import { madeComparison } from '../../src/lab/report/testing/made-comparison.ts';
import { launchBrowser } from '../support/browser.ts';
import { runCli } from '../support/cli-process.ts';

/** In the page. */
declare const document: {
  readonly documentElement: { readonly scrollWidth: number; readonly clientWidth: number };
  querySelector(selector: string): { readonly textContent: string };
  querySelectorAll(selector: string): Iterable<{
    open: boolean;
    getBoundingClientRect(): { readonly height: number; readonly width: number };
  }>;
};
declare const axe: {
  run(context: unknown, options: unknown): Promise<AxeResults>;
};

const hostile = '<img src=x onerror=alert(1)><script>alert(2)</script>\u202e"\'&שלום';
const axeScript = readFileSync(
  createRequire(import.meta.url).resolve('axe-core/axe.min.js'),
  'utf8',
);
const folder = mkdtempSync(join(tmpdir(), 'muster-report-'));
const file = join(folder, 'report.html');
let browser: Browser;

beforeAll(async () => {
  const comparison = madeComparison({
    scenarios: ['office', hostile],
    about: hostile,
    contenders: [...algorithmIds, `own-${hostile}`],
    seeds: 30,
    missing: 3,
  });
  writeFileSync(file, htmlReport(comparison));
  browser = await launchBrowser();
});

afterAll(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Opened {
  readonly page: Page;
  /** What it asked for beside itself, and what it complained of. */
  readonly troubles: readonly string[];
}

async function opened(look: {
  readonly colorScheme: 'light' | 'dark';
  readonly width: number;
}): Promise<Opened> {
  const { colorScheme, width } = look;
  const page = await browser.newPage({ colorScheme, viewport: { width, height: 900 } });
  const troubles: string[] = [];
  const address = pathToFileURL(file).href;
  page.on('request', (request) => {
    if (request.url() !== address) troubles.push(`asked for ${request.url()}`);
  });
  page.on('dialog', (dialog) => troubles.push(`asked: ${dialog.message()}`));
  page.on('pageerror', ({ message }) => troubles.push(message));
  page.on('console', (message) => troubles.push(message.text()));
  await page.goto(address);
  return { page, troubles };
}

test.each([
  { colorScheme: 'light', width: 1200 },
  { colorScheme: 'dark', width: 390 },
] as const)('asks for nothing and can be used by everybody: %o', async (look) => {
  const { page, troubles } = await opened(look);
  await page.evaluate(() => {
    for (const details of document.querySelectorAll('details')) details.open = true;
  });
  const sideways = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  expect(sideways).toBe(0);
  expect(troubles).toEqual([]);
  await page.evaluate(axeScript);
  const found = await page.evaluate(async () => {
    const { violations } = await axe.run(document, { resultTypes: ['violations'] });
    return violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`,
    );
  });
  expect(found).toEqual([]);
  await page.close();
});

test('a hostile name is text wherever it stands', async () => {
  const { page, troubles } = await opened({ colorScheme: 'light', width: 1200 });
  const text = await page.evaluate(() => document.querySelector('#scenario-2').textContent);
  expect(text).toBe(hostile.replace('\u202e', '\\u202e'));
  expect(await page.locator('img, script').count()).toBe(0);
  expect(troubles).toEqual([]);
  await page.close();
});

test('on paper every figure and the summary fit on a page of A4', async () => {
  const { page } = await opened({ colorScheme: 'dark', width: 673 });
  await page.emulateMedia({ media: 'print' });
  const figures = await page.evaluate(() =>
    [...document.querySelectorAll('figure')].map((each) => each.getBoundingClientRect()),
  );
  expect(figures).toHaveLength(6);
  const tables = await page.evaluate(() =>
    [...document.querySelectorAll('table.summary')].map((each) => each.getBoundingClientRect()),
  );
  // One for all scenarios together, one for the two; that of wide places is not there for ten contenders.
  expect(tables.filter(({ width }) => width > 0)).toHaveLength(2);
  for (const { width } of tables) expect(width).toBeLessThanOrEqual(673);
  // 297 mm less two margins of 18 mm, at 96 pixels an inch.
  for (const { height } of figures) expect(height).toBeLessThan(986);
  for (const { width } of figures) expect(width).toBeLessThanOrEqual(673);
  // What is folded on a screen is printed: without it nobody could do it again.
  const folded = await page.evaluate(() =>
    [...document.querySelectorAll('details > :not(summary)')].map((each) =>
      each.getBoundingClientRect(),
    ),
  );
  expect(folded.length).toBeGreaterThan(6);
  const all = await page.evaluate(() =>
    [...document.querySelectorAll('table')].map((each) => each.getBoundingClientRect()),
  );
  for (const { width } of all) expect(width).toBeLessThanOrEqual(673);
  for (const { height } of folded) expect(height).toBeGreaterThan(10);
  await page.close();
});

test('the command writes all files that are asked for, and plays nothing for one that it cannot write', async () => {
  const flags = ['--algorithms', 'fifo,edas', '--seeds', '2'];
  const run = (...names: readonly string[]) =>
    runCli(['compare', 'six-phones', ...flags, ...names.flatMap((name) => ['--out', name])], {
      folder,
    });
  const refused = await run('own.html', 'nowhere/own.json');
  expect(refused.stderr).toContain(
    '"nowhere/own.json" cannot be written: its folder does not exist.',
  );
  expect([refused.code, refused.stdout]).toEqual([2, '']);
  const { code, stdout } = await run('own.html', 'runs.csv');
  expect(stdout).toMatch(/^six-phones \(2 seeds\)\n/);
  expect(code).toBe(0);
  expect(readFileSync(join(folder, 'runs.csv'), 'utf8').split('\n')).toHaveLength(6);
  const report = readFileSync(join(folder, 'own.html'), 'utf8');
  expect(report).toContain(
    'muster compare six-phones --algorithms fifo,edas --seeds 2 --out report.html',
  );
  expect(report).not.toContain('Save the definition');
});
