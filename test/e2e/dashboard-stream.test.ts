// The dashboard beside a stream that is held on its way or makes no sense, and beside clocks that
// are wrong: how fresh it says that it is, is true, and so are its numbers.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { connect, type MusterClient } from '../../src/client/index.ts';
import { launchBrowser } from '../support/browser.ts';
import { serveCli, type ServingCli } from '../support/cli-process.ts';
import { FaultyLine } from '../support/faulty-line.ts';
import { pagesBuilt } from '../support/dashboard/visitor.ts';

const folder = mkdtempSync(join(tmpdir(), 'muster-stream-'));
const program = { kind: 'javascript', source: 'export default (n) => n' } as const;
const stream = /\/api\/events/;

let serving: ServingCli;
let browser: Browser;
let client: MusterClient;
let proxy: FaultyLine;
let page: Page;

beforeAll(async () => {
  [serving, browser] = await Promise.all([
    serveCli(['--workers', '0'], { folder }),
    launchBrowser(),
  ]);
  client = connect(serving.url);
  proxy = await FaultyLine.to(serving.url);
  await pagesBuilt(serving.url);
});

afterAll(async () => {
  proxy.close();
  await browser.close();
  await serving.stop();
  rmSync(folder, { recursive: true, force: true });
});

beforeEach(async () => {
  page = await (await browser.newContext()).newPage();
  return () => page.context().close();
});

async function openPage(path: string): Promise<void> {
  await page.goto(`${proxy.url}${path}`);
  await page.locator('main h1').first().waitFor();
  await page.locator('.freshness.live').waitFor();
}

/** Moves the clock on the wall of the browser, and not that by which it measures. */
const turnWallClock = `globalThis.turnedMs = 0;
  const told = Date.now.bind(Date);
  Date.now = () => told() + globalThis.turnedMs;`;
const turnBy = (ms: number) => page.evaluate(`void (globalThis.turnedMs = ${ms})`);

describe('how fresh it is', () => {
  test('is told by when it was said, not by when it came', async () => {
    await page.clock.install();
    await openPage('/settings');
    // As a proxy does that passes everything on, later.
    await page.clock.fastForward(40_000);
    await page.getByText('What comes is held on its way.').waitFor();
    expect(await page.locator('.freshness.silent').count()).toBe(1);
  });

  test('counts the time in which the machine slept', async () => {
    await page.addInitScript(turnWallClock);
    await openPage('/settings');
    proxy.hold('back');
    try {
      await turnBy(3_600_000);
      await page.locator('.freshness.silent').waitFor();
      expect(await page.locator('.freshness').innerText()).toMatch(/No news.*1.h/s);
    } finally {
      proxy.release();
    }
    await page.locator('.freshness.live').waitFor();
  });

  test.each([-86_400_000, 86_400_000])(
    'does not depend on the clock of the browser, which is set by %d ms',
    async (ms) => {
      await page.addInitScript(turnWallClock);
      await openPage('/jobs');
      const paths: string[] = [];
      page.on('request', (request) => paths.push(new URL(request.url()).pathname));
      await turnBy(ms);
      const { id } = await client.submit({ name: `turned-${ms}`, program, inputs: [1] });
      await page.waitForResponse((response) => response.url().includes(id));
      await page.locator('.freshness.live').waitFor();
      // What is of now is not read anew for it.
      expect(paths).not.toContain('/api/session');
    },
  );
});

test('a stream that is not understood says so in words, and goes on by itself', async () => {
  await openPage('/settings');
  await page.route(stream, (route) =>
    route.fulfill({
      contentType: 'text/event-stream',
      body: 'id: 1\n\nevent: counters\ndata: {"type":"counters"}\n\n',
    }),
  );
  proxy.cut();
  await page.getByText('What came was not understood.').waitFor();
  await page.unroute(stream);
  await page.locator('.freshness.live').waitFor();
  expect(await page.getByText('What came was not understood.').count()).toBe(0);
});

test('a browser of some years ago follows the stream and reads all parts', async () => {
  await page.addInitScript('delete AbortSignal.any');
  await openPage('/settings');
  await page.getByText('Nobody is asked for a token').first().waitFor();
  await openPage('/jobs');
  await page.locator('main .bones').first().waitFor({ state: 'detached' });
  expect(await page.getByText('Not shown').count()).toBe(0);
});
