// The scheduler's page in a real browser: what is tried stays in the address until it is applied, whoever else
// changes what is in force meanwhile.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { connect, type MusterClient } from '../../src/client/index.ts';
import { launchBrowser } from '../support/browser.ts';
import { serveCli, type ServingCli } from '../support/cli-process.ts';
import { PlayedWorker } from '../support/dashboard/played-device.ts';
import { labDevices } from '../support/dashboard/played-lab.ts';

const folder = mkdtempSync(join(tmpdir(), 'muster-scheduler-page-'));
const devices = labDevices.filter(({ name }) => /atlas|cedar|kestrel|Noor/.test(name));
const workers: PlayedWorker[] = [];
/** Many times what a page needs: a busy machine is no fault. */
const patienceMs = 60_000;
let serving: ServingCli;
let browser: Browser;
let client: MusterClient;

beforeAll(async () => {
  [serving, browser] = await Promise.all([
    serveCli(['--workers', '0'], { folder }),
    launchBrowser(),
  ]);
  client = connect(serving.url);
});

afterAll(async () => {
  for (const worker of workers) worker.die();
  await browser.close();
  await serving.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function opened(
  address = '/scheduler',
  prepare: (page: Page) => Promise<unknown> = async () => {},
): Promise<{ page: Page; context: BrowserContext }> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  context.setDefaultTimeout(patienceMs);
  const page = await context.newPage();
  await prepare(page);
  await page.goto(`${serving.url}${address}`);
  await page.locator('.freshness.live').waitFor();
  return { page, context };
}

const algorithm = (page: Page, name: string) =>
  page.locator('.scheduler-algorithms button', { hasText: name });
const pictureTitle = (page: Page) => page.locator('.scheduler-method h2');
const inForce = async (): Promise<string> => (await client.scheduler.config()).algorithm;

async function joined(count: number): Promise<void> {
  const missing = devices.slice(workers.length, count);
  workers.push(...(await Promise.all(missing.map((each) => PlayedWorker.join(serving.url, each)))));
}

test('without a device the page says so and leads to where one is connected', async () => {
  const { page, context } = await opened();
  await page.getByText('There is nobody to give work to').waitFor();
  expect(await page.locator('main a[href="/connect"]').isVisible()).toBe(true);
  await context.close();
});

test('a single device leaves nothing to choose', async () => {
  await joined(1);
  const { page, context } = await opened();
  await page.getByText('One device: nothing to choose.').waitFor();
  expect(await page.locator('.scheduler-method svg .name').textContent()).toContain('atlas');
  await context.close();
});

test('an algorithm that is tried is seen at once, is in the address, and is not in force', async () => {
  await joined(devices.length);
  const before = await inForce();
  const { page, context } = await opened();
  await algorithm(page, 'aras').click();
  await page.getByRole('heading', { name: 'ARAS: how much of the optimum' }).waitFor();
  expect(new URL(page.url()).searchParams.get('algorithm')).toBe('aras');
  await page.locator('svg[aria-label*="of the optimum"]').waitFor();
  expect(await inForce()).toBe(before);
  await page.reload();
  await page.getByRole('heading', { name: 'ARAS: how much of the optimum' }).waitFor();
  await page.getByRole('button', { name: 'Undo the draft' }).click();
  await page.getByText('This is in force.').waitFor();
  expect(new URL(page.url()).search).toBe('');
  await context.close();
});

test('a weight moves by keys and by its number, and its share is told', async () => {
  const { page, context } = await opened('/scheduler?algorithm=edas&cpu=0.2&memory=0.2');
  await page.getByRole('slider', { name: 'CPU availability' }).press('ArrowRight');
  await expect.poll(() => new URL(page.url()).searchParams.get('cpu')).toBe('0.21');
  const number = page.getByRole('spinbutton', { name: 'Weight of battery level' });
  await number.fill('0.41');
  await number.press('Enter');
  await page.locator('.scheduler-weight', { hasText: 'battery' }).getByText('50').waitFor();
  await page.locator('.scheduler-key', { hasText: 'battery level' }).waitFor();
  await context.close();
});

test('by entropy the weights are those of the cluster, and cannot be moved', async () => {
  const { page, context } = await opened('/scheduler?algorithm=edas');
  await page.getByRole('button', { name: 'by entropy' }).click();
  await page.locator('.scheduler-weight.read-only').first().waitFor();
  expect(await page.getByRole('slider').count()).toBe(0);
  const { effective_weights: weights } = await client.scheduler.preview({ weighting: 'entropy' });
  expect(weights['memory']).toBeGreaterThan(0);
  await page.locator('.read-only output', { hasText: '%' }).first().waitFor();
  await context.close();
});

test('an answer to what was tried before is dropped when it comes late', async () => {
  let release = (): void => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  let isHeld = false;
  const { page, context } = await opened('/scheduler', (each) =>
    each.route('**/api/scheduler/preview', async (route) => {
      const { algorithm: asked } = route.request().postDataJSON() as { algorithm: string };
      if (asked === 'wrr') {
        isHeld = true;
        await held;
      }
      await route.continue();
    }),
  );
  await pictureTitle(page).waitFor();
  await algorithm(page, 'wrr').click();
  await expect.poll(() => isHeld).toBe(true);
  await algorithm(page, 'mabac').click();
  const title = 'MABAC: above and below the border';
  await page.getByRole('heading', { name: title }).waitFor();
  const late = page.waitForResponse(
    (answer) => answer.request().postDataJSON()?.algorithm === 'wrr',
  );
  release();
  await (await late).finished();
  // Another answer after it shows that the late one had its chance.
  await page.getByRole('button', { name: '40', exact: true }).click();
  await page.locator('.task').nth(30).waitFor();
  expect(await pictureTitle(page).textContent()).toBe(title);
  await context.close();
});

test('without an open job a draft is applied at once, and can be taken back', async () => {
  await client.scheduler.activate('edas');
  const { page, context } = await opened('/scheduler?algorithm=mabac');
  await page.locator('.scheduler-compare svg').waitFor();
  await page.getByRole('button', { name: 'Apply', exact: true }).click();
  await page.getByText('In force: mabac instead of edas.').waitFor();
  expect(await inForce()).toBe('mabac');
  await page.getByText('This is in force.').waitFor();
  expect(new URL(page.url()).search).toBe('');
  expect(await page.locator('.scheduler-news').count()).toBe(0);
  // What was drawn of the draft leaves no hole.
  await page.getByText(/^Choose another algorithm to see which/).waitFor();
  const holes = () =>
    page.evaluate<number>(
      `[...document.querySelectorAll('.scheduler-main > .kept')].filter((each) => each.offsetHeight > each.firstElementChild.offsetHeight + 1).length`,
    );
  await expect.poll(holes).toBe(0);
  await page.getByRole('button', { name: 'Back to edas' }).click();
  await expect.poll(inForce).toBe('edas');
  await page.locator('h1', { hasText: 'edas' }).waitFor();
  await context.close();
});

test('what somebody else changes is told, and what is tried is kept', async () => {
  await client.scheduler.activate('edas');
  const { page, context } = await opened('/scheduler?algorithm=aras');
  await pictureTitle(page).waitFor();
  await client.scheduler.activate('wrr');
  await page.locator('.scheduler-news', { hasText: 'What you try is kept.' }).waitFor();
  expect(await algorithm(page, 'aras').getAttribute('aria-pressed')).toBe('true');
  await page.getByText('Not applied yet: aras instead of wrr').waitFor();
  await page.locator('.scheduler-news button').click();
  await page.locator('.scheduler-news').waitFor({ state: 'detached' });
  await context.close();
});

test('what was in force is read once for each change, whatever happens next', async () => {
  await client.scheduler.activate('edas');
  const { page, context } = await opened();
  const history = page.getByRole('region', { name: 'What was in force' });
  await history.getByRole('row').nth(1).waitFor();
  const rows = await history.getByRole('row').count();
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  await client.scheduler.activate('wrr');
  await expect.poll(() => history.getByRole('row').count()).toBe(rows + 1);
  const heard = page.waitForRequest((request) => request.url().includes('/api/jobs'));
  const { id } = await client.submit({
    name: 'next',
    program: { kind: 'javascript', source: 'export default () => 1' },
    inputs: [{ seconds: 0 }],
  });
  await heard;
  expect(asked.filter((path) => path === '/api/scheduler/history')).toHaveLength(1);
  for await (const result of client.results(id)) void result;
  await context.close();
});

test('while jobs are open it is asked first, and told how many tasks it is about', async () => {
  await client.scheduler.activate('edas');
  const { id } = await client.submit({
    name: 'long',
    program: { kind: 'javascript', source: 'export default () => 1' },
    inputs: Array.from({ length: 100 }, () => ({ seconds: 600 })),
  });
  await vi.waitUntil(
    async () => {
      const { placements } = await client.scheduler.preview({ tasks: 1 });
      return placements?.length === 0;
    },
    { timeout: patienceMs, interval: 100 },
  );
  const { page, context } = await opened('/scheduler?algorithm=aras');
  await page.getByText('No slot that may run it is free.').waitFor();
  await page.getByText('aras gives work to the device that comes closest').waitFor();
  await page.getByRole('button', { name: 'Apply\u2026' }).click();
  const dialog = page.locator('dialog', { hasText: 'of 1 open job' });
  await dialog.getByText('Every slot that may run them is taken.').waitFor();
  await page.getByRole('button', { name: 'Keep what is in force' }).click();
  expect(await inForce()).toBe('edas');
  await page.getByRole('button', { name: 'Apply\u2026' }).click();
  await page.getByRole('button', { name: 'Apply aras' }).click();
  await expect.poll(inForce).toBe('aras');
  await page.getByText(/task \d+ of long/).waitFor();
  await page.getByRole('region', { name: 'Criteria of the last decision' }).waitFor();
  await client.cancel(id);
  await context.close();
});

test('what was in force begins with the first start, and without tokens nobody is named', async () => {
  const { page, context } = await opened();
  const rows = page.locator('.scheduler-changes tbody tr');
  const first = rows.filter({ hasText: 'the first that is known' });
  await first.waitFor();
  expect(await rows.last().textContent()).toContain('fifo');
  expect(await first.count()).toBe(1);
  expect(await page.locator('.scheduler-changes th', { hasText: 'By' }).count()).toBe(0);
  expect(await rows.first().locator('a').getAttribute('href')).toContain('against=between-');
  await context.close();
});

test('two algorithms are compared as lines between ranks, with the table behind them', async () => {
  const { page, context } = await opened('/scheduler?algorithm=edas');
  await page.getByLabel('compare with').selectOption('fifo');
  await page.locator('.scheduler-compare svg').waitFor();
  expect(new URL(page.url()).searchParams.get('compare')).toBe('fifo');
  await page.getByRole('heading', { name: 'From edas to fifo' }).waitFor();
  await page.locator('.scheduler-compare .table-swap').click();
  await page
    .locator('.scheduler-compare tbody tr')
    .nth(devices.length - 1)
    .waitFor();
  await context.close();
});

test('who only looks on tries everything and is offered to apply nothing', async () => {
  const viewer = { kind: 'viewer', owner: null, label: 'screen', open: false, needs_token: true };
  const { page, context } = await opened('/scheduler?algorithm=mabac', (each) =>
    each.route('**/api/session', (route) => route.fulfill({ json: viewer })),
  );
  await page.getByRole('heading', { name: 'MABAC: above and below the border' }).waitFor();
  await page.getByText('Who operates the cluster can apply it').waitFor();
  expect(await page.getByRole('button', { name: /^Apply/ }).count()).toBe(0);
  await context.close();
});

test('of hundreds of workers the best, the chosen one and the worst have a row', async () => {
  const { page, context } = await opened('/scheduler?algorithm=edas', (each) =>
    each.route('**/api/scheduler/preview', async (route) => {
      const answer = await route.fetch();
      const preview = (await answer.json()) as { workers: { worker_id: string }[] };
      const like = preview.workers[0]!;
      const many = Array.from({ length: 200 }, (_, place) => ({
        ...like,
        worker_id: `worker-${place}`,
        rank: place + 1,
        score: 1 - place / 400,
        selected: place === 99,
      }));
      await route.fulfill({ json: { ...preview, worker_count: 500, workers: many } });
    }),
  );
  await page.getByText('200 of 500 are told').waitFor();
  const names = page.locator('.scheduler-method svg').first().locator('text.name');
  expect(await names.count()).toBe(20);
  expect(await names.allTextContents()).toContainEqual(expect.stringContaining('worker-99'));
  await context.close();
});
