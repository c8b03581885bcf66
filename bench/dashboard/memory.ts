// Whether a page that stays open, and one on which all pages are visited again and again, keeps what it should forget.

import type { Browser } from 'playwright-core';
import { pause, tableOf } from './figures.ts';
import { type PageMetrics, PageProbe } from './page-probe.ts';

type Print = (line: string) => void;

const rounds = 10;
const visitMs = 700;
const settledMs = 15_000;

/** Of the overview, after each minute; of a short measurement at four moments. */
export async function reportMemory(
  browser: Browser,
  url: string,
  minutes: number,
  print: Print,
): Promise<void> {
  const samples = Math.max(4, Math.round(minutes));
  print(`\nthe overview open for ${minutes} min, after a collection each time`);
  const probe = await PageProbe.open(browser, url);
  try {
    await probe.go('/');
    await pause(settledMs);
    const found = [await probe.metricsAfterCollection()];
    for (let i = 0; i < samples; i++) {
      await pause((minutes * 60_000) / samples);
      found.push(await probe.metricsAfterCollection());
    }
    const rows = found.map((each, i) => [((i * minutes) / samples).toFixed(2), ...memoryOf(each)]);
    for (const line of tableOf([['minutes', ...heads], ...rows])) print(line);
    const grown = slopeOf(found.map((each) => each.JSHeapUsedSize / 1000)) / (minutes / samples);
    print(`the heap grows by ${grown.toFixed(1)} kB a minute (line through all of them)`);
  } finally {
    await probe.close();
  }
}

/** All pages one after the other, by links, and back to the overview. */
export async function reportRounds(
  browser: Browser,
  url: string,
  paths: readonly string[],
  print: Print,
): Promise<void> {
  print(
    `\n${rounds} times round ${paths.length} pages, each time on the overview after a collection`,
  );
  const probe = await PageProbe.open(browser, url);
  try {
    await probe.go('/');
    const found: PageMetrics[] = [];
    for (let i = 0; i <= rounds; i++) {
      for (const path of paths) {
        await probe.follow(path);
        await probe.page.locator('main h1').first().waitFor({ timeout: 60_000 });
        await pause(visitMs);
      }
      await probe.follow('/');
      await pause(4 * visitMs);
      found.push(await probe.metricsAfterCollection());
    }
    const rows = found.map((each, i) => [String(i), ...memoryOf(each)]);
    for (const line of tableOf([['round', ...heads], ...rows])) print(line);
    // The engine compiles more of a page each time it runs, until all of it is.
    const late = found.slice(rounds / 2);
    const of = (figure: keyof PageMetrics) => slopeOf(late.map((each) => each[figure])).toFixed(0);
    print(
      `a round of the second half leaves ${of('JSHeapUsedSize')} bytes, ${of('Nodes')} nodes, ` +
        `${of('JSEventListeners')} listeners (line through all of them)`,
    );
  } finally {
    await probe.close();
  }
}

const heads = ['heap MB', 'nodes', 'listeners'];

function memoryOf({ JSHeapUsedSize, Nodes, JSEventListeners }: PageMetrics): string[] {
  return [(JSHeapUsedSize / 1e6).toFixed(2), String(Nodes), String(JSEventListeners)];
}

/** Of the straight line with the least squares, for each step. */
function slopeOf(values: readonly number[]): number {
  const middle = (values.length - 1) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  let above = 0;
  let below = 0;
  for (const [i, value] of values.entries()) {
    above += (i - middle) * (value - mean);
    below += (i - middle) ** 2;
  }
  return above / below;
}
