// From the address to a page that can be used, with nothing in the browser's cache.

import type { Browser } from 'playwright-core';
import { median, pause, tableOf } from './figures.ts';
import type { Recorded } from './in-page.ts';
import { PageProbe } from './page-probe.ts';

type Print = (line: string) => void;

const loads = 5;
const slownesses = [1, 6];
const quietMs = 1_000;
const mostMs = 60_000;
/** The sentence with its numbers, what the page is about, and that it is live. */
const pages = [
  { path: '/', awaited: ['main h1.lede b', '.freshness.live', '.overview-cells'] },
  { path: '/jobs', awaited: ['main h1.lede b', '.freshness.live', 'main tr[data-row]'] },
  { path: '/workers', awaited: ['main h1.lede b', '.freshness.live', 'main tr[data-row]'] },
];

interface Load {
  readonly paintMs: number;
  readonly shownMs: number;
  readonly interactiveMs: number;
  readonly longest: number;
}

export async function reportColdLoads(browser: Browser, url: string, print: Print): Promise<void> {
  print(`\ncold load, ms since the navigation, medians of ${loads}`);
  const rows = [
    ['page', 'slowed down', 'first paint', 'live numbers', 'first quiet second', 'longest task'],
  ];
  for (const { path, awaited } of pages) {
    for (const slowness of slownesses) {
      const found: Load[] = [];
      for (let i = 0; i < loads; i++) {
        const probe = await PageProbe.open(browser, url, { slowness, awaited });
        try {
          found.push(await load(probe, path));
        } finally {
          await probe.close();
        }
      }
      const of = (figure: keyof Load) => median(found.map((each) => each[figure])).toFixed(0);
      const figures = (['paintMs', 'shownMs', 'interactiveMs', 'longest'] as const).map(of);
      rows.push([path, `${slowness} ×`, ...figures]);
    }
  }
  for (const line of tableOf(rows)) print(line);
}

async function load(probe: PageProbe, path: string): Promise<Load> {
  await probe.go(path);
  const until = performance.now() + mostMs;
  for (;;) {
    await pause(quietMs / 4);
    const recorded = await probe.recorded();
    const interactiveMs = quietFrom(recorded);
    const { firstPaint, shownAt, long } = recorded;
    if (interactiveMs !== null && firstPaint !== null && shownAt !== null) {
      const longest = Math.max(0, ...long.map(({ ms }) => ms));
      return { paintMs: firstPaint, shownMs: shownAt, interactiveMs, longest };
    }
    if (performance.now() > until) throw new Error(`${path} was never quiet and live.`);
  }
}

/** The start of the first second without a long task after the first paint; null: not yet. */
function quietFrom({ firstPaint, long, now }: Recorded): number | null {
  if (firstPaint === null) return null;
  let from = firstPaint;
  for (const { at, ms } of long) {
    if (at - from >= quietMs) return from;
    from = Math.max(from, at + ms);
  }
  return now - from >= quietMs ? from : null;
}
