// `npm run film:report -- REPORT.html FOLDER`: pictures of a report of `muster compare` in both themes, on a phone and on
// paper, to be looked at. With `--webp` they are small enough for documents.

import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { pathToFileURL } from 'node:url';
import type { Browser } from 'playwright-core';
import { launchBrowser } from '../test/support/browser.ts';

const LOOKS = [
  { look: 'light', width: 900 },
  { look: 'dark', width: 900 },
  { look: 'phone', width: 390 },
  // A4 without its margins, at 96 pixels an inch.
  { look: 'print', width: 673 },
] as const;
type Look = (typeof LOOKS)[number];

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      webp: { type: 'boolean', default: false },
      height: { type: 'string', default: '1600' },
    },
  });
  const [report, folder] = positionals;
  if (report === undefined || folder === undefined) {
    throw new Error('Name a report and a folder: npm run film:report -- REPORT.html FOLDER');
  }
  mkdirSync(folder, { recursive: true });
  const browser = await launchBrowser();
  try {
    for (const look of LOOKS) await shoot(browser, { report, folder, look, ...values });
  } finally {
    await browser.close();
  }
}

interface Take {
  readonly report: string;
  readonly folder: string;
  readonly look: Look;
  readonly webp: boolean;
  /** Of a webp, in pixels; a png has the whole report. */
  readonly height: string;
}

async function shoot(browser: Browser, take: Take): Promise<void> {
  const { report, folder, look, webp, height } = take;
  const page = await browser.newPage({
    viewport: { width: look.width, height: Number(height) },
    colorScheme: look.look === 'dark' ? 'dark' : 'light',
    deviceScaleFactor: look.look === 'phone' ? 2 : 1,
  });
  await page.goto(pathToFileURL(resolve(report)).href);
  if (look.look === 'print') await page.emulateMedia({ media: 'print' });
  // Drawn once before: what was never drawn cannot be taken.
  await page.evaluate(
    'new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))',
  );
  const file = join(folder, `${basename(report, '.html')}-${look.look}.${webp ? 'webp' : 'png'}`);
  if (webp) {
    const devtools = await page.context().newCDPSession(page);
    const { data } = await devtools.send('Page.captureScreenshot', { format: 'webp', quality: 80 });
    writeFileSync(file, data, 'base64');
  } else {
    await page.screenshot({ path: file, fullPage: true });
  }
  console.log(file);
  await page.close();
}

await main();
