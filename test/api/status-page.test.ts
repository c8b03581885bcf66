// The page at `/` with jobs in every state, in a real browser, wide and narrow.

import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchBrowser } from '../support/browser.ts';
import { HandWorker } from './support/hand-worker.ts';
import { type LiveServer, type Loose, startLiveServer } from './support/live-server.ts';

let live: LiveServer;
let browser: Browser;
let failed: string;
let cancelled: string;
beforeAll(async () => {
  live = await startLiveServer();
  const worker = await HandWorker.register(live, { name: 'desk' });
  const range = (count: number) => ({ inputs: { range: { start: 0, count } } });
  const many = Array.from({ length: 14 }, (_, n) => live.submit([n], { name: `early ${n}` }));
  await Promise.all(many);
  await worker.completeAll();
  failed = await live.submit([1, 2], { max_attempts: 1 });
  const [first, second] = await worker.claim();
  const ref = ({ task_id, attempt, token }: Loose) => ({ task_id, attempt, token });
  await worker.report({
    results: [{ ...ref(first), value: 1 }],
    failures: [{ ...ref(second), error_type: 'TypeError', error_message: 'no <b>number</b>' }],
  });
  cancelled = await live.submit([1, 2, 3, 4], { name: 'given up' });
  const [only] = await worker.claim();
  await worker.report({ results: [{ ...ref(only), value: 1 }] });
  await live.call('POST', `/api/jobs/${cancelled}/cancel`);
  await live.submit([], { ...range(300_177), name: 'large' });
  browser = await launchBrowser();
}, 60_000);
afterAll(async () => {
  await browser.close();
  await live.close();
});

async function visit(width: number, path = '/'): Promise<Page> {
  const page = await browser.newPage({ viewport: { width, height: 900 } });
  await page.goto(`${live.url}${path}`);
  await page.waitForSelector('td, dl.detail, p.empty:not(:text-is("…"))');
  return page;
}

/** How far the page scrolls sideways, and the text of each cell that is cut off. */
const cutOff = `(() => {
  const { scrollWidth, clientWidth } = document.documentElement;
  const cells = [...document.querySelectorAll('td:not(.name), dd, .panel')];
  const wide = cells.filter((each) => each.scrollWidth > each.clientWidth + 1);
  return [scrollWidth - clientWidth, ...wide.map((each) => each.textContent)];
})()`;

const rowOf = (page: Page, text: string) => page.locator('tbody tr', { hasText: text });

test('a worker that rests says why', async () => {
  const resting = await HandWorker.register(live, { name: 'phone' });
  await resting.heartbeat({}, [], { rest: { because: 'charging' } });
  const page = await visit(1200);
  const row = rowOf(page, 'phone');
  await row.getByText('rests').waitFor();
  expect(await row.innerText()).toContain('online · rests: charging');
  await page.close();
});

test('a job without a name has the beginning of its id; failed and cancelled ones have progress', async () => {
  const page = await visit(1200);
  const short = failed.slice(0, 13);
  expect(await rowOf(page, short).locator('td.name').innerText()).toBe(short);
  expect(await rowOf(page, short).locator('td.name span[title]').getAttribute('title')).toBe(
    failed,
  );
  expect(await rowOf(page, short).innerText()).toMatch(/failed\s+100 %/);
  expect(await rowOf(page, 'given up').innerText()).toMatch(/cancelled\s+\d+ %/);
  expect(await rowOf(page, 'large').innerText()).toContain('300 177');
  expect(await rowOf(page, 'large').innerText()).toMatch(/just now|\d+ s ago/);
  await page.close();
});

test('older jobs are a link away, and back', async () => {
  const page = await visit(1200);
  expect(await page.locator('#jobs tbody tr').count()).toBe(15);
  await page.getByRole('link', { name: 'Older jobs' }).click();
  await page.waitForSelector('#jobs tbody tr');
  expect(await page.locator('#jobs tbody tr').count()).toBe(2);
  await page.getByRole('link', { name: 'Newest jobs' }).click();
  await rowOf(page, 'given up').waitFor();
  await page.close();
});

test('a job is opened by its name, and what others have written is text there', async () => {
  const page = await visit(1200);
  await rowOf(page, failed.slice(0, 13)).getByRole('link').click();
  const detail = page.locator('dl.detail');
  await detail.waitFor();
  const told = await detail.innerText();
  expect(told).toContain(failed);
  expect(told).toContain('TypeError: no <b>number</b>');
  expect(await page.locator('#all-jobs').isVisible()).toBe(false);
  await page.getByRole('link', { name: 'All jobs' }).click();
  await rowOf(page, 'given up').waitFor({ state: 'visible' });
  await page.close();
});

test('a job that is not there is told as such', async () => {
  const page = await visit(1200, '/#job=nope');
  const told = page.locator('#job-detail p.empty', { hasText: 'No job' });
  await told.waitFor();
  expect(await told.innerText()).toContain('No job has the id');
  await page.close();
});

test.each([390, 1200])('nothing is cut off or scrolls sideways at %i pixels', async (width) => {
  for (const path of ['/', `/#job=${failed}`]) {
    const page = await visit(width, path);
    const cut = await page.evaluate(cutOff);
    expect(cut).toEqual([0]);
    await page.close();
  }
});

test('whoever has come to a link by the keyboard stays there when the page is drawn again', async () => {
  const page = await visit(1200);
  await rowOf(page, 'given up').getByRole('link').focus();
  const drawn = await page.locator('#jobs table').elementHandle();
  await page.waitForFunction((table) => !table.isConnected, drawn);
  const focused = await page.evaluate("document.activeElement?.getAttribute('href')");
  expect(focused).toBe(`#job=${cancelled}`);
  await page.close();
});
