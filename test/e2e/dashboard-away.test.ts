// The dashboard while the coordinator is away, is updated, or asks somebody else for a token; and from other origins.

import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { connect, type MusterClient } from '../../src/client/index.ts';
import { launchBrowser } from '../support/browser.ts';
import { serveCli, type ServingCli } from '../support/cli-process.ts';
import { FaultyLine } from '../support/faulty-line.ts';
import { PlayedWorker } from '../support/dashboard/played-device.ts';
import { labDevices } from '../support/dashboard/played-lab.ts';
import { pagesBuilt } from '../support/dashboard/visitor.ts';

const folder = mkdtempSync(join(tmpdir(), 'muster-away-'));
const program = { kind: 'javascript', source: 'export default (n) => n' } as const;

let serving: ServingCli;
let browser: Browser;
let client: MusterClient;
let proxy: FaultyLine;
let devices: readonly PlayedWorker[];
let page: Page;

beforeAll(async () => {
  [serving, browser] = await Promise.all([
    serveCli(['--workers', '0'], { folder }),
    launchBrowser(),
  ]);
  client = connect(serving.url);
  proxy = await FaultyLine.to(serving.url);
  const few = labDevices.slice(0, 4);
  devices = await Promise.all(few.map((device) => PlayedWorker.join(serving.url, device)));
  await pagesBuilt(serving.url);
});

afterAll(async () => {
  for (const device of devices) device.die();
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

describe('while the coordinator is away', () => {
  test.each(['/', '/workers'])('no device of %s counts as silent', async (path) => {
    await page.clock.install();
    await openPage(path);
    await page.getByText('atlas').first().waitFor();
    proxy.shut();
    try {
      await page.locator('.freshness.reconnecting').waitFor();
      await page.clock.fastForward('02:00');
      await page.getByText('What you see is of').waitFor();
      // All that is told of time moves together: the line is drawn anew, and so is the rest.
      await page.clock.runFor(3_000);
      expect(await page.locator('main').innerText()).not.toMatch(/silent/i);
    } finally {
      proxy.open();
    }
  });
});

describe('after an update of the coordinator', () => {
  const parts = /\/app\/jobs-[^/]+\.js/;
  const gone = { status: 404, contentType: 'application/json', body: '{"code":"not_found"}' };

  test('a page whose part is gone begins anew by itself', async () => {
    await openPage('/settings');
    let hasBegun = false;
    page.on('request', (request) => {
      hasBegun ||= request.isNavigationRequest();
    });
    await page.route(parts, (route) => (hasBegun ? route.continue() : route.fulfill(gone)));
    const begun = page.waitForRequest((request) => request.isNavigationRequest());
    await page.locator('nav a[href="/jobs"]').first().click();
    const document = await begun;
    expect(new URL(document.url()).pathname).toBe('/jobs');
    await page.locator('main h1').first().waitFor();
    await page.locator('.freshness.live').waitFor();
    expect(await page.getByText('This page was not loaded').count()).toBe(0);
    await page.unroute(parts);
  });

  test('a part that is never there is told, with a button, instead of beginning for ever', async () => {
    await openPage('/settings');
    const documents: string[] = [];
    page.on('request', (request) => {
      if (request.isNavigationRequest()) documents.push(request.url());
    });
    await page.route(parts, (route) => route.fulfill(gone));
    await page.locator('nav a[href="/jobs"]').first().click();
    await page.getByText('This page was not loaded').waitFor();
    expect(documents).toHaveLength(1);
    await page.unroute(parts);
    await page.getByRole('button', { name: 'Load the page again' }).click();
    await page.locator('main h1').first().waitFor();
  });

  const written = 'export default (n) => n * 2;';
  const box = (name: string) => page.getByRole('textbox', { name });
  const begin = async (): Promise<void> => {
    await openPage('/submit');
    await box('Program').fill(written);
  };
  const toPage = (path: string) => page.locator(`nav a[href="${path}"]`).first().click();

  test('an open page says so, and begins anew with what was being made when somebody wants it', async () => {
    await begin();
    await box('Inputs').fill('[1, 2]');
    await page.route(/\/app\/app\.js$/, (route) =>
      route.request().method() === 'HEAD'
        ? route.fulfill({ status: 200, headers: { etag: '"of another build"' } })
        : route.continue(),
    );
    expect(await page.getByText('The coordinator was updated').count()).toBe(0);
    proxy.cut();
    await page.getByText('The coordinator was updated').waitFor();
    expect(await box('Program').inputValue()).toBe(written);
    const begun = page.waitForRequest((request) => request.isNavigationRequest());
    await page.getByRole('button', { name: 'Load the page again' }).click();
    await begun;
    await page.getByRole('button', { name: 'Submit 2 tasks' }).waitFor();
    expect(await box('Program').inputValue()).toBe(written);
    expect(await page.getByText('The coordinator was updated').count()).toBe(0);
  });

  test('a page that begins anew for want of a part has what was being made', async () => {
    await begin();
    await page.route(parts, (route) => route.fulfill(gone));
    const begun = page.waitForRequest((request) => request.isNavigationRequest());
    await toPage('/jobs');
    await begun;
    await page.unroute(parts);
    await page.locator('main h1', { hasText: 'open' }).waitFor();
    await toPage('/submit');
    await box('Program').waitFor();
    expect(await box('Program').inputValue()).toBe(written);
    await page.reload();
    await box('Program').waitFor();
    expect(await box('Program').inputValue()).toBe('');
  });

  test('a page with a file that would be lost does not begin anew by itself', async () => {
    await begin();
    const buffer = Buffer.from('1\n2\n3\n');
    const file = { name: 'numbers.ndjson', mimeType: 'application/x-ndjson', buffer };
    await page.locator('input[type=file]').nth(1).setInputFiles(file);
    await page.getByText('3 inputs').first().waitFor();
    await page.route(parts, (route) => route.fulfill(gone));
    await toPage('/jobs');
    await page.getByText('This page was not loaded').waitFor();
    await toPage('/submit');
    await page.getByRole('button', { name: 'Submit 3 tasks' }).waitFor();
    expect(await box('Program').inputValue()).toBe(written);
  });
});

describe('with other data at the same address', () => {
  let other: ServingCli;
  const otherFolder = mkdtempSync(join(tmpdir(), 'muster-away-'));

  beforeAll(async () => {
    other = await serveCli(['--workers', '0'], { folder: otherFolder });
  });

  afterAll(async () => {
    await other.stop();
    rmSync(otherFolder, { recursive: true, force: true });
  });

  afterEach(() => {
    proxy.open();
    proxy.leadTo(serving.url);
  });

  test('a list has nothing of before', async () => {
    await openPage('/workers');
    await page.getByText('atlas').first().waitFor();
    proxy.leadTo(other.url);
    await page.getByText('No device is here yet.').waitFor();
    await page.locator('.freshness.live').waitFor();
    expect(await page.getByText('atlas').count()).toBe(0);
  });

  test('what is gone stays gone while the coordinator is away', async () => {
    const path = `/workers/${devices[0]!.id}`;
    await openPage(path);
    proxy.leadTo(other.url);
    await page.getByText('No worker has this id.').waitFor();
    const failed = page.waitForEvent('requestfailed', (request) => request.url().includes(path));
    proxy.shut();
    await failed;
    await page.evaluate('new Promise((drawn) => setTimeout(() => requestAnimationFrame(drawn)))');
    expect(await page.locator('main').innerText()).not.toContain('atlas');
  });
});

test.each(['list', 'page'])(
  'the %s of a job that ended before the stream began says so',
  async (what) => {
    const requirements = { labels: { gpu: 'yes' } };
    const { id } = await client.submit({
      name: `early-${what}`,
      program,
      inputs: [1],
      requirements,
    });
    let begin = (): void => {};
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    await page.route(/\/api\/events/, async (route) => {
      await begun;
      await route.continue();
    });
    await page.goto(`${proxy.url}/jobs${what === 'list' ? '' : `/${id}`}`);
    const shown =
      what === 'list'
        ? page.getByRole('row', { name: /early-list/ }).first()
        : page.locator('main');
    await shown.getByText('pending').first().waitFor();
    await client.cancel(id);
    begin();
    await shown.getByText('cancelled').first().waitFor();
    expect(await shown.getByText('pending', { exact: true }).count()).toBe(0);
  },
);

test('a download takes a name of which no system makes a folder, a device or an address', async () => {
  const names = ['../../x', 'a/b:c*?"<>|', 'CON', 'n'.repeat(200)];
  const saved: string[] = [];
  for (const name of names) {
    const { id } = await client.submit({ name, program, inputs: [{ seconds: 0 }] });
    for await (const result of client.results(id)) void result;
    await openPage(`/jobs/${id}`);
    await page.getByText('Download results').click();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: /NDJSON/ }).click();
    saved.push((await download).suggestedFilename());
  }
  for (const name of saved) {
    expect(name).toMatch(/^\w[\w.-]{0,120}\.ndjson$/);
    expect(name).not.toMatch(/^(con|prn|aux|nul|com\d|lpt\d)\./i);
  }
});

describe('from another origin', () => {
  let other: Server;
  let origin: string;

  beforeAll(async () => {
    other = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html');
      response.end('<!doctype html><title>other</title><body>');
    }).listen(0, '127.0.0.1');
    await once(other, 'listening');
    origin = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
  });

  afterAll(() => other.close());

  test('no frame shows the dashboard', async () => {
    await page.goto(origin);
    const told = page.waitForEvent('console', (line) => line.text().includes('frame-ancestors'));
    await page.evaluate(
      `document.body.append(Object.assign(document.createElement('iframe'), { src: '${serving.url}' }))`,
    );
    expect((await told).text()).toContain("'none'");
  });

  test('who opens it in a window has no hold of that window', async () => {
    await page.goto(origin);
    const opened = page.context().waitForEvent('page');
    await page.evaluate(`void (globalThis.opened = open('${serving.url}'))`);
    const dashboard = await opened;
    await dashboard.locator('.freshness.live').waitFor();
    expect(await dashboard.evaluate('opener')).toBeNull();
    expect(await page.evaluate('opened.closed')).toBe(true);
  });
});

test("the worker page's service worker leaves other pages alone, also where their paths begin the same", async () => {
  const way = await FaultyLine.to(serving.url);
  try {
    await page.goto(`${way.url}/worker`);
    await page.evaluate(
      `navigator.serviceWorker.register('/worker/sw.js', { scope: '/worker' })
        .then(() => navigator.serviceWorker.ready).then(() => {})`,
    );
    way.shut();
    // A page of its own: what a browser shows in place of one that failed comes late, and would end the next visit.
    const another = await page.context().newPage();
    await expect(another.goto(`${way.url}/workers`)).rejects.toThrow('net::ERR');
    await page.goto(`${way.url}/worker`);
    expect(await page.title()).toMatch(/Muster/);
  } finally {
    way.close();
  }
});
