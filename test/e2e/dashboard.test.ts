// Every page of the dashboard in a real browser, beside a lab that works: that it loads, says what is so, asks
// nobody but the coordinator, and can be read by everybody.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AxeResults } from 'axe-core';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchBrowser } from '../support/browser.ts';
import { serveCli, type ServingCli } from '../support/cli-process.ts';
import { labDevices, type PlayedLab, playLab } from '../support/dashboard/played-lab.ts';

/** In the page. */
declare const document: {
  readonly documentElement: { readonly scrollWidth: number; readonly clientWidth: number };
  querySelectorAll(selector: string): Iterable<unknown>;
};
declare function getComputedStyle(element: unknown): Readonly<Record<string, string>>;
declare const axe: {
  run(context: unknown, options: unknown): Promise<AxeResults>;
};

const axeScript = readFileSync(
  createRequire(import.meta.url).resolve('axe-core/axe.min.js'),
  'utf8',
);
/** A few of each kind: all of them would only take time. */
const devices = labDevices.filter(({ name }) =>
  /atlas|cedar|kestrel|Noor|Ana|Jo$|room 1/.test(name),
);

/** By all rules in the first theme; the other changes colours alone, so only their rules are asked again. */
const looks = [
  { size: { width: 1440, height: 900 }, colorSchemes: ['light', 'dark'] },
  { size: { width: 390, height: 844 }, colorSchemes: ['dark', 'light'] },
] as const;
const rulesOfColours = { runOnly: ['color-contrast', 'link-in-text-block'] };

const folder = mkdtempSync(join(tmpdir(), 'muster-dashboard-'));
let serving: ServingCli;
let browser: Browser;
let lab: PlayedLab;

beforeAll(async () => {
  [serving, browser] = await Promise.all([
    serveCli(['--workers', '0'], { folder }),
    launchBrowser(),
  ]);
  lab = await playLab(serving.url, devices);
});

afterAll(async () => {
  lab.end();
  await browser.close();
  await serving.stop();
  rmSync(folder, { recursive: true, force: true });
});

interface Visit {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What the browser complains of, and requests to other origins. */
  readonly complaints: string[];
}

async function visit(path: string): Promise<Visit> {
  const [{ size, colorSchemes }] = looks;
  // What changes its colour by and by would be read between two of them.
  const context = await browser.newContext({
    viewport: size,
    colorScheme: colorSchemes[0],
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', ({ message }) => complaints.push(message));
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url());
    if (protocol !== 'data:' && protocol !== 'blob:' && origin !== serving.url) {
      complaints.push(`asks ${request.url()}`);
    }
  });
  await page.goto(`${serving.url}${path}`);
  await page.locator('main h1').first().waitFor();
  await page.locator('.freshness.live').waitFor();
  return { page, context, complaints };
}

const pages: readonly (readonly [string, () => string])[] = [
  ['overview', () => '/'],
  ['jobs', () => '/jobs'],
  ['a job that runs', () => `/jobs/${lab.jobs.docking}`],
  ['a job that failed', () => `/jobs/${lab.jobs.trees}`],
  ['a job that nobody can run', () => `/jobs/${lab.jobs.archive}`],
  ['a task that failed', () => `/jobs/${lab.jobs.trees}/tasks/92`],
  ['workers', () => '/workers'],
  ['a worker', () => `/workers/${lab.workers.get('atlas')!.id}`],
  ['scheduler', () => '/scheduler'],
  ['evaluation', () => '/evaluation'],
  ['timeline', () => '/timeline'],
  ['recovery', () => '/recovery'],
  ['submit', () => '/submit'],
  ['connect', () => '/connect'],
  ['settings', () => '/settings'],
];

test.for(pages)(
  '%s is fit to read, keeps within its width and asks nobody else',
  async ([, pathOf]) => {
    const { page, context, complaints } = await visit(pathOf());
    await page.locator('.bones').first().waitFor({ state: 'detached' });
    for (const { size, colorSchemes } of looks) {
      await page.setViewportSize(size);
      for (const [place, colorScheme] of colorSchemes.entries()) {
        await page.emulateMedia({ colorScheme });
        await page.locator(`html[data-theme="${colorScheme}"]`).waitFor();
        const rules = place === 0 ? {} : rulesOfColours;
        expect(await violations(page, rules), `${size.width} px, ${colorScheme}`).toEqual([]);
      }
      const tooWide = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      expect(tooWide, `${size.width} px`).toBe(0);
    }
    expect(complaints).toEqual([]);
    await context.close();
  },
);

/** Of the rules for what everybody can use, and of best practice: which rule, and where. */
async function violations(page: Page, rules: object): Promise<readonly string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axeScript);
  return page.evaluate(async (asked) => {
    const found = await axe.run(document, { resultTypes: ['violations'], ...asked });
    return found.violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`,
    );
  }, rules);
}

test('where people choose the colours, what is chosen, drawn, pressed and in focus is still told', async () => {
  const { page, context } = await visit('/');
  await page.emulateMedia({ forcedColors: 'active' });
  const all = (selector: string, property: string): Promise<readonly string[]> =>
    page.evaluate(
      ([of, name]) =>
        [...document.querySelectorAll(of!)].map((each) => getComputedStyle(each)[name!]!),
      [selector, property],
    );
  const one = async (selector: string, property = 'backgroundColor'): Promise<string> =>
    (await all(selector, property))[0]!;
  const chosen = await one('.choice button[aria-pressed="true"]');
  expect(await one('.choice button[aria-pressed="false"]')).not.toBe(chosen);
  expect(await one('.nav[aria-current]')).toBe(chosen);
  expect(await one('.nav:not([aria-current])')).not.toBe(chosen);
  const canvas = await one('html');
  for (const drawn of ['.freshness i', '.bar > i.fill-completed', '.overview-slots > i.on']) {
    expect(await one(drawn), drawn).not.toBe(canvas);
  }
  const free = '.overview-device:not(.resting) .overview-slots > i:not(.on)';
  expect(await one(free, 'boxShadow')).not.toBe('none');
  const resting = '.overview-device.resting .overview-slots > i:not(.on)';
  expect(await one(resting, 'outlineStyle')).toBe('dashed');
  expect(await one(resting, 'outlineColor')).not.toBe(canvas);
  const [buttons, fills] = [
    await all('.button', 'borderTopColor'),
    await all('.button', 'backgroundColor'),
  ];
  expect(buttons.length).toBeGreaterThan(1);
  for (const [place, border] of buttons.entries()) expect(border).not.toBe(fills[place]);
  await page.keyboard.press('Tab');
  expect(await one(':focus-visible', 'outlineStyle')).toBe('solid');
  expect(await one(':focus-visible', 'outlineColor')).not.toBe(canvas);
  await context.close();
});

test('a path of no page says so, and leads back', async () => {
  const { page, context } = await visitPlain('/jobs/a/b/c/d');
  expect(await page.textContent('body')).toContain('There is nothing at GET /jobs/a/b/c/d');
  await context.close();
});

async function visitPlain(path: string): Promise<{ page: Page; context: BrowserContext }> {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`${serving.url}${path}`);
  return { page, context };
}
