// `npm run film:dashboard -- FOLDER [PAGE …]`: pictures of every page of the dashboard in both themes and several
// widths, to be looked at. A lab is played for them: devices of all kinds, and jobs in every state. With `--webp` they
// are small enough for documents.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { launchBrowser } from '../test/support/browser.ts';
import { serveCli } from '../test/support/cli-process.ts';
import { type PlayedLab, playLab } from '../test/support/dashboard/played-lab.ts';
import { pagesBuilt } from '../test/support/dashboard/visitor.ts';

const SIZES = {
  wide: { width: 2560, height: 1440 },
  desktop: { width: 1440, height: 900 },
  tablet: { width: 1024, height: 900 },
  phone: { width: 390, height: 844 },
  small: { width: 360, height: 640 },
} as const;
type Size = keyof typeof SIZES;
const THEMES = ['light', 'dark'] as const;
/** What is long in coming: charts with some past, sparklines, a device that is lost. */
const PAST_SECONDS = 45;
const SETTLED_MS = 2_500;

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      sizes: { type: 'string', default: 'desktop,phone' },
      seconds: { type: 'string', default: String(PAST_SECONDS) },
      webp: { type: 'boolean', default: false },
    },
  });
  const [folder, ...wanted] = positionals;
  if (folder === undefined) throw new Error('Name a folder: npm run film:dashboard -- FOLDER');
  mkdirSync(folder, { recursive: true });
  const data = mkdtempSync(join(tmpdir(), 'muster-film-'));
  const [serving, browser] = await Promise.all([
    serveCli(['--workers', '0'], { folder: data }),
    launchBrowser(),
  ]);
  await pagesBuilt(serving.url);
  const lab = await playLab(serving.url);
  try {
    await stir(lab, Number(values.seconds));
    for (const size of values.sizes.split(',') as Size[]) {
      for (const theme of THEMES) {
        for (const [name, path] of pagesOf(lab)) {
          if (wanted.length > 0 && !wanted.includes(name)) continue;
          const file = join(folder, `${name}-${size}-${theme}.${values.webp ? 'webp' : 'png'}`);
          await shoot(browser, `${serving.url}${path}`, { size, theme, file });
        }
      }
    }
  } finally {
    lab.end();
    await browser.close();
    await serving.stop();
    rmSync(data, { recursive: true, force: true });
  }
}

/** What happens in a lab: the algorithm is changed, a device is drained, another is lost with its tasks. */
async function stir({ client, workers }: PlayedLab, seconds: number): Promise<void> {
  await pause(seconds * 400);
  await client.scheduler.configure({ algorithm: 'edas' });
  await client.drain(workers.get('ember')!.id);
  workers.get('lagoon')!.die();
  await pause(seconds * 600);
}

function pagesOf({ jobs, workers }: PlayedLab): readonly (readonly [string, string])[] {
  return [
    ['overview', '/'],
    ['jobs', '/jobs'],
    ['job', `/jobs/${jobs.docking}`],
    ['job-failed', `/jobs/${jobs.trees}`],
    ['job-waiting', `/jobs/${jobs.archive}`],
    ['task', `/jobs/${jobs.trees}/tasks/92`],
    ['workers', '/workers'],
    ['worker', `/workers/${workers.get('Pixel 7 · Noor')!.id}`],
    ['scheduler', '/scheduler'],
    ['scheduler-aras', '/scheduler?algorithm=aras&compare=edas'],
    ['scheduler-mabac', '/scheduler?algorithm=mabac'],
    ['scheduler-wrr', '/scheduler?algorithm=wrr'],
    ['scheduler-fifo', '/scheduler?algorithm=fifo'],
    ['scheduler-round', '/scheduler?algorithm=round_robin'],
    ['scheduler-least', '/scheduler?algorithm=least_loaded'],
    ['scheduler-performance', '/scheduler?algorithm=performance'],
    ['scheduler-priority', '/scheduler?algorithm=priority'],
    ['scheduler-entropy', '/scheduler?weighting=entropy'],
    ['evaluation', '/evaluation'],
    ['timeline', '/timeline'],
    ['recovery', '/recovery'],
    ['connect', '/connect'],
    ['submit', '/submit'],
    ['settings', '/settings'],
  ];
}

interface Take {
  readonly size: Size;
  readonly theme: (typeof THEMES)[number];
  readonly file: string;
}

async function shoot(browser: Browser, url: string, { size, theme, file }: Take): Promise<void> {
  const context = await browser.newContext({
    viewport: SIZES[size],
    colorScheme: theme,
    deviceScaleFactor: SIZES[size].width < 820 ? 2 : 1,
  });
  const page = await context.newPage();
  page.on('pageerror', (error) => console.error(`${url}: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error') console.error(`${url}: ${message.text()}`);
  });
  await page.goto(url);
  await page
    .locator('h1')
    .first()
    .waitFor({ timeout: 20_000 })
    .catch(() => {});
  await pause(SETTLED_MS);
  const tooWide = await page.evaluate<number>(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
  if (tooWide > 0) console.error(`${url} is ${tooWide} px too wide`);
  if (file.endsWith('.png')) await page.screenshot({ path: file, fullPage: true });
  else writeFileSync(file, await webpOf(page));
  console.log(file);
  await context.close();
}

/** Two screens of it at most: what is further down is long lists. The bars stay at the edges of what is taken. */
async function webpOf(page: Page): Promise<Buffer> {
  const { width, height: screen } = page.viewportSize()!;
  const whole = await page.evaluate<number>('document.documentElement.scrollHeight');
  await page.setViewportSize({ width, height: Math.min(whole, 2 * screen) });
  await pause(SETTLED_MS);
  const devtools = await page.context().newCDPSession(page);
  const { data } = await devtools.send('Page.captureScreenshot', { format: 'webp', quality: 75 });
  return Buffer.from(data, 'base64');
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

await main();
