// `/docs` in a real browser: it shows the document under its own address, without any other network and
// under its content security policy, light or dark as the reader's system is, on a screen and on a phone.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchBrowser } from '../support/browser.ts';
import { serveCli, type ServingCli } from '../support/cli-process.ts';

const folder = mkdtempSync(join(tmpdir(), 'muster-interface-page-'));
let serving: ServingCli;
let browser: Browser;
/** Loaded once: to draw all operations takes it seconds. */
let page: Page;
const asked: string[] = [];
const complaints: string[] = [];
beforeAll(async () => {
  [serving, browser] = await Promise.all([serveCli([], { folder }), launchBrowser()]);
  page = await browser.newPage();
  page.on('request', (request) => asked.push(request.url()));
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.goto(`${serving.url}/docs`);
  await page.waitForSelector('.opblock');
  await page.click('.opblock-post .opblock-summary-control');
  await page.waitForSelector('.responses-table .response');
});
afterAll(async () => {
  await browser.close();
  await serving.stop();
  rmSync(folder, { recursive: true, force: true });
});

// In the page.
declare const document: {
  readonly documentElement: { readonly scrollWidth: number };
  querySelector(selector: string): never;
};
declare function getComputedStyle(element: never): { readonly backgroundColor: string };

test.each(['light', 'dark'] as const)('%s, on a screen and on a phone', async (colorScheme) => {
  await page.emulateMedia({ colorScheme });
  expect(await page.locator('.info a').first().getAttribute('href')).toBe('/openapi.json');
  for (const width of [1200, 390]) {
    await page.setViewportSize({ width, height: 900 });
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(wide).toBeLessThanOrEqual(width);
  }
  const ground = await page.evaluate(
    () => getComputedStyle(document.querySelector('html')).backgroundColor,
  );
  expect(ground === 'rgb(28, 32, 34)').toBe(colorScheme === 'dark');
  const own = (address: string) => address.startsWith(serving.url) || address.startsWith('data:');
  expect(asked.filter((address) => !own(address))).toEqual([]);
  expect(asked).toContain(`${serving.url}/openapi.json`);
  expect(asked.filter((address) => address.endsWith('/docs/json'))).toEqual([]);
  expect(complaints).toEqual([]);
});
