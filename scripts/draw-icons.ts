// Draws the icons of the page of a browser worker from src/dashboard/worker/icon.svg, with the browser of the
// tests: node scripts/draw-icons.ts. The pictures are checked in; this is run when the drawing changes.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { launchBrowser } from '../test/support/browser.ts';

const FOLDER = join(import.meta.dirname, '..', 'src', 'dashboard', 'worker');
/** A mask of a phone may cut to the inner eighty percent: there the drawing fills its square. */
const ICONS = [
  { name: 'icon-192.png', size: 192, radius: '22%', zoom: 1.12 },
  { name: 'icon-512.png', size: 512, radius: '22%', zoom: 1.12 },
  { name: 'icon-maskable.png', size: 512, radius: '0', zoom: 1 },
];

const drawing = readFileSync(join(FOLDER, 'icon.svg'), 'utf8');
const browser = await launchBrowser();
try {
  for (const { name, size, radius, zoom } of ICONS) {
    const page = await browser.newPage({ viewport: { width: size, height: size } });
    const place = `display: block; width: ${size}px; transform: scale(${zoom})`;
    const cut = `width: ${size}px; height: ${size}px; overflow: hidden; border-radius: ${radius}`;
    await page.setContent(
      `<body style="margin: 0; background: transparent"><div style="${cut}">${drawing.replace('<svg', `<svg style="${place}"`)}</div>`,
    );
    await page.screenshot({ path: join(FOLDER, name), omitBackground: true });
    await page.close();
  }
} finally {
  await browser.close();
}
