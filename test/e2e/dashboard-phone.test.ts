// The dashboard in a hand: fingers reach what is pressed, and a touch tells what a pointer is told by hovering.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { launchBrowser } from '../support/browser.ts';
import { serveCli, type ServingCli } from '../support/cli-process.ts';
import { pagesBuilt } from '../support/dashboard/visitor.ts';
import { labDevices, type PlayedLab, playLab } from '../support/dashboard/played-lab.ts';

const devices = labDevices.filter(({ name }) => /atlas|cedar|kestrel|Noor|room 1/.test(name));

const folder = mkdtempSync(join(tmpdir(), 'muster-dashboard-phone-'));
let serving: ServingCli;
let browser: Browser;
let lab: PlayedLab;
let page: Page;

beforeAll(async () => {
  [serving, browser] = await Promise.all([
    serveCli(['--workers', '0'], { folder }),
    launchBrowser(),
  ]);
  [lab] = await Promise.all([playLab(serving.url, devices), pagesBuilt(serving.url)]);
});

afterEach(() => page.context().close());

afterAll(async () => {
  lab.end();
  await browser.close();
  await serving.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function visit(path: string): Promise<void> {
  const context = await browser.newContext({
    viewport: { width: 360, height: 640 },
    hasTouch: true,
    isMobile: true,
  });
  page = await context.newPage();
  await page.goto(`${serving.url}${path}`);
  await page.locator('main h1').first().waitFor();
}

/** What is pressed, and how far a touch may be from its middle, where that is less than a finger needs. */
const tooSmall = `[...document.querySelectorAll('.button, .chip, .choice button, .tabs > *, .table-swap')]
  .filter((each) => each.getClientRects().length > 0)
  .map((each) => ({
    name: each.textContent,
    height: Math.max(
      each.getBoundingClientRect().height,
      parseFloat(getComputedStyle(each, '::after').height) || 0,
    ),
  }))
  .filter(({ height }) => height < 44)`;

test.for(['/', '/workers', '/scheduler', '/evaluation', '/timeline', '/submit', '/settings'])(
  'what is pressed at %s is 44 px high, or takes a touch so far around it',
  async (path) => {
    await visit(path);
    await page.locator('main .panel').first().waitFor();
    expect(await page.evaluate(tooSmall)).toEqual([]);
  },
);

test('pages without a place in the bar open above it, until something else is touched', async () => {
  await visit('/');
  await page.getByRole('button', { name: 'More' }).tap();
  const menu = page.locator('#more');
  await menu.getByRole('link', { name: 'Recovery' }).waitFor();
  await page.locator('main h1').tap();
  await menu.waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: 'More' }).tap();
  await menu.getByRole('link', { name: 'Recovery' }).tap();
  await page.waitForURL('**/recovery');
  expect(await menu.isVisible()).toBe(false);
});

test('a job is found from the bar above each page', async () => {
  await visit('/workers');
  const field = page.getByRole('combobox', { name: 'Find a job or a worker' });
  await field.tap();
  await field.fill('docking');
  await page.getByRole('option', { name: 'docking-batch-7' }).tap();
  await page.waitForURL(`**/jobs/${lab.jobs.docking}`);
  expect(await field.inputValue()).toBe('');
});

test('a touch tells what a pointer is told, and the next touch takes it away', async () => {
  await visit('/scheduler?algorithm=edas');
  await page.locator('.scheduler-method .name', { hasText: 'atlas' }).tap();
  const told = page.locator('.touch-hint');
  await told.waitFor();
  expect(await told.textContent()).toMatch(/^atlas: \S+, CPU free/);
  // Not its middle: where the sentence is short, that is a time, which has something to tell itself.
  await page.locator('main h1').tap({ position: { x: 3, y: 8 } });
  await told.waitFor({ state: 'detached' });
});

test('a bar of a chart that is chosen leads to its task', async () => {
  await visit(`/jobs/${lab.jobs.trees}`);
  const chart = page.locator('#attempts .gantt .chart');
  await chart.focus();
  await page.keyboard.press('ArrowRight');
  await page.locator('#attempts .told').getByRole('link', { name: 'Open' }).tap();
  await page.waitForURL(`**/jobs/${lab.jobs.trees}/tasks/*`);
  expect(page.url()).toMatch(/\/tasks\/\d+$/);
});
