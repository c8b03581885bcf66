// The dashboard when connections break, answers are late, wrong or refused, and the page is held or hidden: what it
// shows is never of before without saying so, and it does not ask more for being refused.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page, Route } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { connect, type MusterClient } from '../../src/client/index.ts';
import { launchBrowser } from '../support/browser.ts';
import { serveCli, type ServingCli } from '../support/cli-process.ts';
import { FaultyLine } from '../support/faulty-line.ts';
import { pagesBuilt } from '../support/dashboard/visitor.ts';

const folder = mkdtempSync(join(tmpdir(), 'muster-faults-'));
const program = { kind: 'javascript', source: 'export default (n) => n' } as const;
const lists = /\/api\/jobs\?/;
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

/** A job of which nothing runs. */
async function submitted(name: string): Promise<string> {
  return (await client.submit({ name, program, inputs: [1, 2] })).id;
}

const rowOf = (name: string) => page.getByRole('row', { name: new RegExp(name) });
const asked = (path: RegExp) => page.waitForRequest(path);

const unavailable = (route: Route) =>
  route.fulfill({
    status: 503,
    contentType: 'application/json',
    body: JSON.stringify({ code: 'overloaded', detail: 'It has too much to do.', errors: [] }),
  });

test('a job whose own stream does not come is told of by the stream of all', async () => {
  const id = await submitted('one-stream');
  // As where the browser, or a quota, allows no more of them.
  const held: Route[] = [];
  await page.route(stream, async (route) => {
    if (route.request().url().includes(id)) held.push(route);
    else await route.continue();
  });
  const own = page.waitForRequest(
    (request) => stream.test(request.url()) && request.url().includes(id),
  );
  await openPage(`/jobs/${id}`);
  await own;
  await client.hold(id);
  await page.getByRole('button', { name: 'Release' }).waitFor();
  await client.cancel(id);
  await page.getByRole('button', { name: 'Delete job' }).waitFor();
  expect(held).not.toHaveLength(0);
  await client.deleteJob(id);
  await Promise.all(held.map((route) => route.abort()));
});

describe('after the connection broke', () => {
  test('nothing counts as live before all of it could be read anew', async () => {
    await openPage('/jobs');
    await page.route(lists, unavailable);
    const refused = page.waitForResponse((response) => response.status() === 503);
    proxy.cut();
    await submitted('sent-meanwhile');
    await refused;
    await page.locator('.freshness.reading').waitFor();
    await page.unroute(lists);
    await page.locator('.freshness.live').waitFor();
    await rowOf('sent-meanwhile').waitFor();
    expect(await page.locator('.freshness.live').count()).toBe(1);
  });

  test('a part that cannot be read is asked for again, and the page says so long that it is of before', async () => {
    await openPage('/settings');
    const limits = /\/api\/limits/;
    await page.route(limits, unavailable);
    const refused = page.waitForResponse((response) => response.status() === 503);
    proxy.cut();
    await refused;
    await page.locator('.freshness.reading').waitFor();
    expect(await page.locator('.freshness.live').count()).toBe(0);
    await page.unroute(limits);
    await page.locator('.freshness.live').waitFor();
  });

  test('a page that is held stays as it is', async () => {
    await openPage('/settings');
    await page.getByRole('button', { name: 'Pause live updates' }).click();
    const paths: string[] = [];
    page.on('request', (request) => paths.push(new URL(request.url()).pathname));
    const reconnected = asked(/\/api\/session/);
    proxy.cut();
    await reconnected;
    expect(paths).not.toContain('/api/limits');
    const renewed = asked(/\/api\/limits/);
    await page.getByRole('button', { name: 'Go on with live updates' }).click();
    await renewed;
  });

  test('what cannot serve is not asked for everything again and again', async () => {
    await openPage('/settings');
    const refusals: string[] = [];
    await page.route(stream, (route) => {
      refusals.push(route.request().url());
      return route.fulfill({ status: 500, contentType: 'text/html', body: '<h1>No</h1>' });
    });
    const sessions: string[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/api/session')) sessions.push(request.url());
    });
    proxy.cut();
    await expect.poll(() => refusals.length, { timeout: 30_000 }).toBe(3);
    expect(sessions).toEqual([]);
    const renewed = asked(/\/api\/session/);
    await page.unroute(stream);
    await renewed;
    await page.locator('.freshness.live').waitFor();
  });

  test('a job that the coordinator does not know any more is not shown as if it were there', async () => {
    const id = await submitted('forgotten');
    await openPage(`/jobs/${id}`);
    await page.getByRole('heading', { name: /forgotten/ }).waitFor();
    await page.route(new RegExp(`/api/jobs/${id}`), (route) =>
      route.fulfill({
        status: 404,
        contentType: 'application/json',
        body: JSON.stringify({ code: 'unknown_job', detail: 'No such job.', errors: [] }),
      }),
    );
    proxy.cut();
    await page.getByRole('heading', { name: 'This job is not here.' }).waitFor();
    expect(await page.locator('.job-head').count()).toBe(0);
  });
});

test('a list that comes late does not take back what was told meanwhile', async () => {
  const id = await submitted('told-late');
  let release = (): void => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.goto(`${proxy.url}/settings`);
  await page.locator('.freshness.live').waitFor();
  const held = new Promise<void>((resolve) => {
    void page.route(lists, async (route) => {
      const response = await route.fetch();
      resolve();
      await released;
      await route.fulfill({ response });
    });
  });
  await page.locator('nav a[href="/jobs"]').first().click();
  await held;
  try {
    const read = page.waitForResponse((response) => response.url().includes(`/api/jobs/${id}`));
    await client.cancel(id);
    await read;
  } finally {
    release();
  }
  const cell = rowOf('told-late').getByRole('cell', { name: 'cancelled', exact: true });
  await cell.waitFor();
  expect(await cell.count()).toBe(1);
});

test('a job that was opened behind other tabs is drawn', async () => {
  const id = await submitted('opened-behind');
  await client.cancel(id);
  await page.addInitScript("Object.defineProperty(document, 'hidden', { get: () => true })");
  await page.goto(`${proxy.url}/jobs/${id}`);
  await page.getByRole('heading', { name: /opened-behind/ }).waitFor();
  expect(await page.locator('.job-head').count()).toBe(1);
});

test('a page that is opened while another is held is drawn', async () => {
  const id = await submitted('opened-held');
  await openPage('/settings');
  await page.getByRole('button', { name: 'Pause live updates' }).click();
  await page.locator('nav a[href="/jobs"]').first().click();
  await rowOf('opened-held').waitFor();
  await page.locator(`a[href="/jobs/${id}"]`).first().click();
  await page.getByRole('heading', { name: /opened-held/ }).waitFor();
  expect(await page.locator('.freshness.paused').count()).toBe(1);
});
