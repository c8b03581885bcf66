// `npm run film:worker -- FOLDER [SCENE …]`: pictures of everything that the page of a browser worker can show, in
// both themes and three sizes, to be looked at. No coordinator is needed: what it shows is played.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, devices } from 'playwright-core';
import { launchBrowser } from '../test/support/browser.ts';
import { joinToken, scenes, type Scene } from '../test/support/worker-page/scenes.ts';
import { servePage } from '../test/support/worker-page/served-page.ts';
import { Stage } from '../test/support/worker-page/stage.ts';

const SIZES = {
  phone: { width: 390, height: 844 },
  small: { width: 360, height: 640 },
  lying: { width: 844, height: 390 },
  desktop: { width: 1280, height: 800 },
} as const;
const THEMES = ['light', 'dark'] as const;
const { userAgent } = devices['Pixel 7'];

/** Before it begins: each is entered anew. */
const isBefore = ({ says }: Scene) => says.type === 'known';

async function main([folder, ...wanted]: readonly string[]): Promise<void> {
  if (folder === undefined) throw new Error('Name a folder: npm run film:worker -- FOLDER');
  mkdirSync(folder, { recursive: true });
  const [served, browser] = await Promise.all([servePage(), launchBrowser()]);
  try {
    for (const [size, viewport] of Object.entries(SIZES)) {
      for (const colorScheme of THEMES) {
        await film(browser, served.url, { size, viewport, colorScheme, folder, wanted });
      }
    }
  } finally {
    await browser.close();
    served.close();
  }
}

interface Take {
  readonly size: string;
  readonly viewport: { readonly width: number; readonly height: number };
  readonly colorScheme: (typeof THEMES)[number];
  readonly folder: string;
  readonly wanted: readonly string[];
}

async function film(browser: Browser, url: string, take: Take): Promise<void> {
  const { size, viewport, colorScheme, folder, wanted } = take;
  const isPhone = size !== 'desktop';
  const context = await browser.newContext({
    viewport,
    colorScheme,
    deviceScaleFactor: isPhone ? 2 : 1,
    ...(isPhone ? { userAgent } : {}),
  });
  const page = await context.newPage();
  const stage = await Stage.open(page, url);
  const shoot = async (name: string): Promise<void> => {
    await page.evaluate(() => document.fonts.ready.then(() => undefined));
    const path = join(folder, `${name}-${size}-${colorScheme}.png`);
    await page.screenshot({ path });
    console.log(path);
  };
  const isWanted = (name: string) => wanted.length === 0 || wanted.includes(name);
  let isAtWork = false;
  for (const [name, scene] of Object.entries(scenes)) {
    if (!isWanted(name)) continue;
    if (!isAtWork || isBefore(scene)) {
      await stage.enter(`#t=${joinToken}`);
      if (!isBefore(scene)) await stage.begin();
    }
    isAtWork = scene.says.type === 'state';
    await stage.play(scene);
    await shoot(name);
  }
  for (const [name, button] of [
    ['settings', 'Settings'],
    ['what-runs', 'What exactly runs here?'],
    ['forget', 'Forget this device…'],
  ] as const) {
    if (!isWanted(name)) continue;
    await stage.enter(`#t=${joinToken}`);
    await stage.begin();
    await stage.play(scenes['working']!);
    await page.getByRole('button', { name: 'Settings' }).click();
    if (name !== 'settings') await page.getByRole('button', { name: button }).click();
    await shoot(name);
  }
  await context.close();
}

declare const document: { readonly fonts: { readonly ready: Promise<unknown> } };

await main(process.argv.slice(2));
