// What an operator does with workers on the pages of the dashboard: finds one of many, drains it and thinks better
// of it, removes it, and lets devices join.

import { mkdtempSync, rmSync } from 'node:fs';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { connect, type MusterClient } from '../../src/client/index.ts';
import { launchBrowser } from '../support/browser.ts';
import { runCli, serveCli, type ServingCli } from '../support/cli-process.ts';
import { PlayedWorker } from '../support/dashboard/played-device.ts';
import { labDevices } from '../support/dashboard/played-lab.ts';

/** An address by which others would reach this machine; every machine that tests has one. */
const outside = Object.values(networkInterfaces())
  .flat()
  .find((each) => each?.internal === false && each.family === 'IPv4')!.address;
const openFolder = mkdtempSync(join(tmpdir(), 'muster-dashboard-open-'));
const lockedFolder = mkdtempSync(join(tmpdir(), 'muster-dashboard-locked-'));
let browser: Browser;
/** Nobody needs a token there. */
let open: ServingCli;
let locked: ServingCli;
let admin: string;
let client: MusterClient;
let context: BrowserContext | undefined;
const played: PlayedWorker[] = [];

beforeAll(async () => {
  const made = await runCli(['token', 'create', '--kind', 'admin'], { folder: lockedFolder });
  admin = made.stdout.trim();
  [browser, open, locked] = await Promise.all([
    launchBrowser(),
    serveCli(['--workers', '0'], { folder: openFolder }),
    serveCli(['--workers', '0'], { folder: lockedFolder }),
  ]);
  client = connect(open.url);
});

afterEach(async () => {
  await context?.close();
  for (const worker of played.splice(0)) worker.die();
  for (const { id } of await client.workers()) await client.deregister(id);
});

afterAll(async () => {
  await browser.close();
  await Promise.all([open.stop(), locked.stop()]);
  rmSync(openFolder, { recursive: true, force: true });
  rmSync(lockedFolder, { recursive: true, force: true });
});

async function visit(url: string): Promise<Page> {
  context = await browser.newContext({ ignoreHTTPSErrors: true });
  const page = await context.newPage();
  await page.goto(url);
  return page;
}

async function logIn(url: string, token = admin): Promise<Page> {
  const page = await visit(url);
  await page.getByLabel('Token').fill(token);
  await page.getByRole('button', { name: 'Log in' }).click();
  return page;
}

async function play(name: string, labels = {}): Promise<PlayedWorker> {
  const device = labDevices.find((each) => each.name === name)!;
  const worker = await PlayedWorker.join(open.url, { ...device, labels });
  played.push(worker);
  return worker;
}

async function register(url: string, name: string, token?: string): Promise<string> {
  const answer = await fetch(`${url}/api/workers`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({ name, type: 'pc', platform: 'linux' }),
  });
  expect(answer.status).toBe(201);
  return ((await answer.json()) as { worker_id: string }).worker_id;
}

test('without a worker the page says what to do', async () => {
  const page = await visit(`${open.url}/workers`);
  await page.getByText('No device is here yet.').waitFor();
  await page.locator('main').getByRole('link', { name: 'Connect a device' }).click();
  await page.getByText('From elsewhere nobody can join yet.').waitFor();
  const command = page.getByText(`muster worker ${open.url}`, { exact: true });
  expect(await command.count()).toBe(1);
  expect(await page.getByText('muster token create --kind admin').count()).toBe(1);
  expect(await page.getByText('go on trying the present address').count()).toBe(1);
});

test('a drain is undone, and a removal asks first', async () => {
  const atlas = await play('atlas');
  const page = await visit(`${open.url}/workers?open=${atlas.id}`);
  const status = async () => (await client.worker(atlas.id)).status;
  await page.getByRole('button', { name: 'Drain', exact: true }).click();
  await expect.poll(status).toBe('draining');
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect.poll(status).toBe('online');

  await page.getByRole('button', { name: 'Remove…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Remove atlas?' });
  await dialog.waitFor();
  expect(await dialog.getByText('What it completed stays').count()).toBe(1);
  const focused = await page.evaluate<string>('document.activeElement.textContent');
  expect(focused).toBe('Keep it');
  await dialog.getByRole('button', { name: 'Remove the worker' }).click();
  await page.getByText('No device is here yet.').waitFor();
  expect(await client.workers()).toEqual([]);
});

test('what is drained and has nothing left is out of service on every page', async () => {
  const [atlas] = await Promise.all([play('atlas'), play('cedar')]);
  const page = await visit(`${open.url}/workers/${atlas.id}`);
  await page.getByRole('button', { name: 'Drain', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: /atlas is out of service since/ }).waitFor();
  await page.getByText(/^You drained it at .+ Nothing was given to it since/).waitFor();
  expect((await client.worker(atlas.id)).status).toBe('draining');

  await page.goto(`${open.url}/workers?state=out`);
  const slots = (await client.workers()).find(({ name }) => name === 'cedar')!.slots;
  const heading = page.getByRole('heading', { level: 1 });
  await expect
    .poll(() => heading.textContent())
    .toMatch(new RegExp(`^1 of 2 workers are here, one is out of service, 0 of ${slots} slots`));
  expect(await page.locator('tr[data-row]').count()).toBe(1);

  await page.goto(open.url);
  await page.getByText('PCs · 1 of 2').waitFor();
  await page.getByText(`0 of ${slots} at work`).waitFor();
  expect(await page.locator('.overview-device.out').count()).toBe(1);
  expect(await page.locator('.key .overview-out').count()).toBe(1);

  await page.goto(`${open.url}/connect`);
  const row = page.locator('.connect-joined li').filter({ hasText: 'atlas' });
  await row.getByText('out of service').waitFor();
  expect(await row.getByText('ready').count()).toBe(0);
});

test('who drains the only device of an open job is asked, and told what cures it', async () => {
  const [kestrel] = await Promise.all([play('kestrel', { gpu: 'yes' }), play('atlas')]);
  const { slots, status } = await client.worker(kestrel.id);
  expect(status).toBe('online');
  const job = await client.submit({
    name: 'embed',
    program: { kind: 'javascript', source: 'export default () => 1' },
    inputs: Array.from({ length: slots + 2 }, () => ({ seconds: 600 })),
    requirements: { labels: { gpu: 'yes' } },
  });
  const waiting = async () => (await client.job(job.id)).counts.pending;
  await expect.poll(waiting).toBe(2);
  const page = await visit(`${open.url}/workers/${kestrel.id}`);
  await page.getByRole('button', { name: 'Drain', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Drain kestrel?' });
  await dialog.getByText('No other device may run embed now: 2 tasks wait').waitFor();
  await dialog.getByRole('button', { name: 'Keep it at work' }).click();
  expect((await client.worker(kestrel.id)).draining).toBeNull();

  await page.getByRole('button', { name: 'Drain', exact: true }).click();
  await dialog.getByRole('button', { name: 'Drain', exact: true }).click();
  await expect.poll(async () => (await client.worker(kestrel.id)).status).toBe('draining');
  await page.goto(`${open.url}/jobs/${job.id}`);
  await page.getByText(/Give kestrel work again\. It requires gpu=yes/).waitFor();
  await client.cancel(job.id);
});

test('from a job that asks for a label the way leads to those that have it', async () => {
  await Promise.all([play('atlas', { site: 'lab' }), play('ember')]);
  const job = await client.submit({
    name: 'for nobody',
    program: { kind: 'javascript', source: 'export default () => 1' },
    inputs: [1],
    requirements: { labels: { site: 'lab', gpu: 'huge' } },
  });
  const page = await visit(`${open.url}/jobs/${job.id}`);
  const way = page.getByRole('link', { name: 'See the workers' }).first();
  await way.waitFor();
  const query = new URL((await way.getAttribute('href'))!, open.url).searchParams;
  expect(query.getAll('label').toSorted()).toEqual(['gpu=huge', 'site=lab']);

  await page.goto(open.url);
  await page.getByText(/^24 slots are idle while 1 task waits: 24 no open job may use/).waitFor();

  await page.goto(`${open.url}/workers?label=site%3Dlab`);
  const rows = page.locator('tr[data-row]');
  await expect.poll(() => rows.count()).toBe(1);
  expect(await rows.textContent()).toContain('site=lab');
  await page.getByRole('group', { name: 'Labels' }).getByRole('button').click();
  await expect.poll(() => rows.count()).toBe(2);
  expect(new URL(page.url()).searchParams.has('label')).toBe(false);
  await client.cancel(job.id);
});

test('of many at once those that are selected with a key are drained', async () => {
  await Promise.all([play('atlas'), play('cedar'), play('dune')]);
  const page = await visit(`${open.url}/workers?sort=name`);
  // They stand beside the rows when it is known who asks.
  await page.locator('.workers-select input').nth(2).waitFor();
  for (const key of ['j', 'x', 'j', 'x']) await page.keyboard.press(key);
  await page.getByRole('button', { name: 'Drain 2' }).click();
  const drained = async () =>
    (await client.workers()).filter(({ draining }) => draining !== null).map(({ name }) => name);
  await expect.poll(drained).toEqual(expect.arrayContaining(['atlas', 'cedar']));
  expect(await drained()).toHaveLength(2);
});

test('of five hundred only those in view are drawn, and each is found', async () => {
  const names = Array.from({ length: 500 }, (_, place) => `desk-${place + 1}`);
  await Promise.all(names.map((name) => register(open.url, name)));
  const page = await visit(`${open.url}/workers`);
  await page.locator('table[aria-rowcount="501"]').waitFor();
  const rows = page.locator('tr[data-row]');
  expect(await rows.count()).toBeLessThan(120);
  const last = page.getByRole('button', { name: 'desk-500', exact: true });
  // The list grows while its rows are measured: where the end was is not where it is.
  await expect
    .poll(async () => {
      await page.keyboard.press('End');
      return last.isVisible();
    })
    .toBe(true);
  await page.getByLabel('Find workers in the list').fill('desk-77');
  await expect.poll(() => rows.count()).toBe(1);
  await page.getByLabel('Find workers in the list').fill('nobody');
  await page.getByText('No worker is "nobody".').waitFor();
});

test('one worker has a page of its own, where it gets another name', async () => {
  const cedar = await play('cedar');
  const page = await visit(`${open.url}/workers/${cedar.id}`);
  await page.getByRole('heading', { level: 1, name: 'cedar' }).waitFor();
  await page.getByRole('button', { name: 'Rename…' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('desk by the door');
  await page.getByRole('button', { name: 'Rename', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'desk by the door' }).waitFor();
  expect((await client.worker(cedar.id)).name).toBe('desk by the door');
});

test('a worker that is not there is told, with the way back', async () => {
  const page = await visit(`${open.url}/workers/nobody`);
  await page.getByText('No worker has this id.').waitFor();
  expect(await page.getByRole('link', { name: 'To the workers' }).getAttribute('href')).toBe(
    '/workers',
  );
});

test('who comes by a link that asks is let in on the page that made it', async () => {
  const page = await logIn(`${locked.url}/connect`);
  const link = page.locator('.connect-ways code').first();
  await link.waitFor();
  const first = (await link.textContent())!;
  await page.getByLabel('Ask me for each device').check();
  await expect.poll(() => link.textContent()).not.toBe(first);
  const token = /#t=([^.&]+)/.exec((await link.textContent())!)![1]!;

  const id = await register(locked.url, 'phone of Sam', token);
  await page.getByText('asks to join, says it is').waitFor();
  await page.getByRole('button', { name: 'Let in phone of Sam' }).click();
  const operator = connect(locked.url, { token: admin });
  await expect.poll(async () => (await operator.worker(id)).waits_until).toBeUndefined();

  // What was shown before is good no more.
  const old = /#t=([^.&]+)/.exec(first)![1]!;
  const refused = await fetch(`${locked.url}/api/join`, {
    headers: { authorization: `Bearer ${old}` },
  });
  expect(refused.status).toBe(401);
  // The same link, for whoever comes back to the page.
  const shown = await link.textContent();
  await page.getByRole('link', { name: 'Workers' }).first().click();
  await page.getByRole('link', { name: 'Connect a device' }).first().click();
  expect(await link.textContent()).toBe(shown);
});

test('a link that only this machine reaches is no code: a phone would ask itself', async () => {
  const page = await logIn(`${locked.url}/connect`);
  await page.locator('.connect-ways code').first().waitFor();
  expect(await page.locator('.connect-code').count()).toBe(0);
  expect(await page.getByText('Only this machine reaches that address').count()).toBe(1);
});

test('a link that others reach is a code too, with what a browser will say of the certificate', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'muster-dashboard-tls-'));
  const made = await runCli(['token', 'create', '--kind', 'admin'], { folder });
  const flags = ['--workers', '0', '--host', outside, '--tls', 'self-signed'];
  const serving = await serveCli(flags, { folder });
  try {
    const page = await logIn(`${serving.url}/connect`, made.stdout.trim());
    const code = page.getByRole('img', { name: 'The link as a QR code' });
    await code.waitFor();
    const fills = await code
      .locator('path')
      .evaluateAll((paths) => paths.map((path) => path.getAttribute('fill')));
    // In any theme: the ground, then the modules.
    expect(fills).toEqual(['#fff', '#000']);
    const link = await page.locator('.connect-ways code').first().textContent();
    expect(link).toContain(`${serving.url}/join#t=`);
    expect(await page.getByText('A browser warns of the certificate').count()).toBe(1);
  } finally {
    await serving.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});
