// The pages of a coordinator that asks for tokens, in a real browser.

import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchBrowser } from '../support/browser.ts';
import { builtApp } from '../support/dashboard/built-app.ts';
import { type LiveServer, program, startLiveServer } from './support/live-server.ts';

let live: LiveServer;
let browser: Browser;
let token: string;
beforeAll(async () => {
  live = await startLiveServer({}, undefined, {}, { pages: await builtApp() });
  const { body } = await live.call('POST', '/api/tokens', { json: { kind: 'admin' } });
  token = body.token;
  browser = await launchBrowser();
}, 60_000);
afterAll(async () => {
  await browser.close();
  await live.close();
});

test.for(['/', '/docs'])('%s asks for a token once, and keeps it from scripts', async (path) => {
  const page = await browser.newPage();
  await page.goto(`${live.url}${path}`);
  await page.getByLabel('Token', { exact: true }).fill('mst_a_wrong');
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByText('The token is not one of this coordinator').waitFor();
  await page.getByLabel('Token', { exact: true }).fill(token);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByLabel('Token', { exact: true }).waitFor({ state: 'detached' });
  const status = await page.evaluate(async () => (await fetch('/api/jobs')).status);
  expect(status).toBe(200);
  expect(await page.evaluate('document.cookie')).toBe('');
  expect(new URL(page.url()).search).toBe('');
  await page.close();
});

test('a page shows the form again when its session has ended', async () => {
  const page = await browser.newPage();
  await page.goto(live.url);
  await page.getByLabel('Token', { exact: true }).fill(token);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.locator('.freshness.live').waitFor();
  expect(await page.getByLabel('Token', { exact: true }).count()).toBe(0);
  await page.evaluate(() => fetch('/api/session', { method: 'DELETE' }));
  await page.getByLabel('Token', { exact: true }).waitFor();
  await page.close();
});

test.for([
  ['viewer', 0],
  ['client', 1],
] as const)('a %s has %d ways to the results of a job', async ([kind, ways]) => {
  const headers = { authorization: `Bearer ${token}` };
  const asked = { kind, ...(kind === 'client' ? { owner: 'admin' } : {}) };
  const { body } = await live.call('POST', '/api/tokens', { json: asked, headers });
  const own = kind === 'client' ? { authorization: `Bearer ${body.token}` } : headers;
  const json = { program, inputs: [1] };
  const job = await live.call('POST', '/api/jobs', { json, headers: own });
  const page = await browser.newPage();
  await page.goto(`${live.url}/jobs/${job.body.id}`);
  await page.getByLabel('Token', { exact: true }).fill(body.token);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.locator('main h1').waitFor();
  await page.locator('.freshness.live').waitFor();
  expect(await page.getByRole('heading', { name: /^Results/ }).count()).toBe(ways);
  await page.close();
});
