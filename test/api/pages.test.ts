// The pages that the coordinator serves, in a real browser that has no other network.

import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchBrowser } from '../support/browser.ts';
import { builtApp } from '../support/dashboard/built-app.ts';
import { type LiveServer, startLiveServer } from './support/live-server.ts';

let live: LiveServer;
let browser: Browser;
beforeAll(async () => {
  live = await startLiveServer({}, undefined, {}, { pages: await builtApp() });
  browser = await launchBrowser();
}, 60_000);
afterAll(async () => {
  await browser.close();
  await live.close();
});

interface Visit {
  readonly page: Page;
  /** Errors in the page, and its requests to other hosts. */
  readonly complaints: string[];
}

async function visit(path: string): Promise<Visit> {
  const page = await browser.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  await page.route('**/*', (route) => {
    const url = route.request().url();
    if (url.startsWith(`${live.url}/`) || url.startsWith('data:')) return route.continue();
    complaints.push(`asked for ${url}`);
    return route.abort();
  });
  await page.goto(`${live.url}${path}`);
  return { page, complaints };
}

describe('"`GET /docs`": an interactive page that works without any other network', () => {
  // Loaded once: to draw all operations takes this page seconds.
  let docs: Visit;
  beforeAll(async () => {
    docs = await visit('/docs');
    await docs.page.waitForSelector('.opblock');
  });
  afterAll(() => docs.page.close());

  test('shows every operation of the document', async () => {
    const { page, complaints } = docs;
    const count = Object.values(live.document.document.paths)
      .map((operations) => Object.keys(operations).length)
      .reduce((sum, each) => sum + each);
    expect(await page.locator('.opblock').count()).toBe(count);
    expect(await page.title()).toBe('Muster: the interface');
    expect(complaints).toEqual([]);
  });

  test('"Try it out" sends the request and shows the answer', async () => {
    const { page, complaints } = docs;
    const block = page.locator('.opblock', { hasText: 'Counters of the system' });
    await block.locator('.opblock-summary').click();
    await block.getByRole('button', { name: 'Execute' }).click();
    const answer = block.locator('.live-responses-table');
    await answer.waitFor();
    expect(await answer.locator('.response-col_status').last().innerText()).toContain('200');
    expect(await answer.innerText()).toContain('"total_jobs": 0');
    expect(complaints).toEqual([]);
  });

  test('the body that it proposes for a job is one that is taken', async () => {
    const { page, complaints } = docs;
    const block = page.locator('.opblock', { hasText: 'Submit a job' });
    await block.locator('.opblock-summary').click();
    const body = await block.locator('textarea.body-param__text').inputValue();
    expect(JSON.parse(body)).toMatchObject({ inputs: [1, 2, 3] });
    await block.getByRole('button', { name: 'Execute' }).click();
    const answer = block.locator('.live-responses-table');
    await answer.waitFor();
    expect(await answer.locator('.response-col_status').last().innerText()).toContain('201');
    expect((await live.call('GET', '/api/jobs')).body).toHaveLength(1);
    expect(complaints).toEqual([]);
  });
});

test('"`GET /`": the page shows what is there, and asks nobody else', async () => {
  await live.submit([1, 2], { name: 'seen in the page' });
  const { page, complaints } = await visit('/');
  await page.getByText('seen in the page').first().waitFor();
  expect(complaints).toEqual([]);
  await page.close();
}, 60_000);

test('a page reads the stream of events with `EventSource`, and goes on after a cut', async () => {
  const { page } = await visit('/');
  await page.evaluate(() => {
    const seen: string[] = [];
    Object.assign(globalThis, { seen });
    const source = new EventSource('/api/events?types=job_submitted');
    source.addEventListener('job_submitted', (event) => {
      seen.push((event as Event & { data: string }).data);
    });
    return new Promise((resolve) => source.addEventListener('open', resolve));
  });
  const first = await live.submit([1]);
  const sees = (id: string) =>
    page.waitForFunction(
      (wanted) => (globalThis as unknown as { seen: string[] }).seen.join().includes(wanted),
      id,
    );
  await sees(first);
  live.server.app.server.closeAllConnections();
  const second = await live.submit([2]);
  await sees(second);
  const count = await page.evaluate(
    () => (globalThis as unknown as { seen: string[] }).seen.length,
  );
  expect(count).toBe(2);
  await page.close();
}, 60_000);
