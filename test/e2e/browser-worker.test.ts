// Browsers that help, from the link to the end: the page in a real Chromium with its agent, its frames and what it
// keeps, and a coordinator that is a process of its own.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContext } from 'playwright-core';
import { devices } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { connect, type JobSummary, type MusterClient } from '../../src/client/index.ts';
import { launchBrowser } from '../support/browser.ts';
import { runCli, serveCli, type ServingCli } from '../support/cli-process.ts';
import { async, counting } from '../support/counting-job.ts';
import { FaultyLine } from '../support/faulty-line.ts';
import { HelpingPage } from '../support/helping-page.ts';
import { eventually } from '../support/muster-process.ts';

/** Its first attempt never ends by itself, and offers its state ten times a second. */
const held = { steps: 10, hold: 6, ms: 100 };
const square = {
  program: { kind: 'javascript', source: 'export default (n) => n * n;' },
  inputs: [7],
} as const;

const PHONE = devices['Pixel 7'].userAgent;

let browser: Browser;
let folder: string;
let serving: ServingCli;
let proxy: FaultyLine;
let client: MusterClient;
let admin: string;
let context: BrowserContext;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'muster-browser-worker-'));
  const made = await runCli(['token', 'create', '--kind', 'admin'], { folder });
  admin = made.stdout.trim();
  const flags = ['--coordinator-name', 'Ann’s lab', '--grace-seconds', '60'];
  [serving, browser] = await Promise.all([serveCli(flags, { folder }), launchBrowser()]);
  proxy = await FaultyLine.to(serving.url);
  client = connect(serving.url, { token: async () => admin });
});

afterEach(async () => {
  proxy.open();
  await context?.close();
  for (const { id } of await client.workers()) await client.deregister(id);
});

afterAll(async () => {
  await browser.close();
  proxy.close();
  await serving.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function link(needsApproval = false): Promise<string> {
  const made = await client.tokens.create({ kind: 'join', uses: 1, needsApproval });
  return `#t=${made.token}`;
}

async function newHelper(): Promise<HelpingPage> {
  context = await browser.newContext();
  return HelpingPage.join(context, `${proxy.url}/worker${await link()}`);
}

const muster = (...args: string[]) =>
  runCli(args, { folder, environment: { MUSTER_URL: serving.url, MUSTER_TOKEN: admin } });

/** The worker that joined last. */
async function newestWorker() {
  return (await client.workers()).at(-1)!;
}

async function ended(job: JobSummary) {
  const task = await eventually(
    () => client.task(job.id, 0),
    ({ status }) => status === 'completed' || status === 'failed',
  );
  expect(task.status).toBe('completed');
  return task;
}

/** The first attempt of a held job has come to where it holds. */
async function saved(job: JobSummary): Promise<void> {
  await eventually(
    () => client.checkpoints(job.id),
    (checkpoints) => checkpoints.at(-1)?.progress === 0.6,
  );
}

test('joins by a link, works, and is listed', async () => {
  context = await browser.newContext();
  const helper = await HelpingPage.open(context, `${proxy.url}/join${await link()}`);
  await helper.press('Help with this browser');
  await helper.shows('consent');
  expect(new URL(helper.page.url()).hash).toBe('');
  await helper.says('Ann’s lab asks this computer to help with its calculations');
  await helper.press('Start helping');
  await helper.shows('idle');
  const quick = await client.submit(square);
  expect(await ended(quick)).toMatchObject({ result: 49 });
  const long = await client.submit(counting(async, [{ ...held, hold: 99 }]));
  await helper.shows('working');
  expect((await ended(long)).attempts).toMatchObject([{ status: 'completed' }]);
  await expect.poll(() => helper.ring()).toBe('2');
  const { stdout } = await muster('workers');
  expect(stdout).toMatch(/Chrome on Linux +browser linux +online/);
});

test('pauses by hand, and goes on from the checkpoint', async () => {
  const helper = await newHelper();
  const job = await client.submit(counting(async, [held]));
  await saved(job);
  await helper.press('Pause');
  await helper.shows('paused');
  await helper.says('Paused');
  expect((await helper.titles()).slice(-2)).toEqual(['Coming to rest · Muster', 'Paused · Muster']);
  await expect
    .poll(async () => (await client.task(job.id, 0)).attempts)
    .toMatchObject([{ status: 'released', error: { type: 'worker_rests' } }]);
  expect(await newestWorker()).toMatchObject({ rests_because: 'paused', active_tasks: 0 });
  await helper.press('Go on');
  const task = await ended(job);
  expect(task.result).toMatchObject({ from: 6 });
  expect(await client.failures((await newestWorker()).id)).toEqual([]);
});

test('a result that nobody has acknowledged outlives its tab, and is handed in by the next', async () => {
  const helper = await newHelper();
  const job = await client.submit(counting(async, [{ ...held, hold: 99 }]));
  await helper.shows('working');
  proxy.shut();
  await helper.shows('offline');
  await helper.says(/Until then one result is kept here/);
  await helper.close();
  proxy.open();
  const again = await HelpingPage.open(context, `${proxy.url}/worker`);
  await again.shows('return');
  await again.says('One result from last time.');
  await again.press('Start helping');
  expect((await ended(job)).attempts).toMatchObject([{ status: 'completed', attempt: 1 }]);
  await again.shows('idle');
  expect((await newestWorker()).total_completed).toBe(1);
});

test('a tab that is closed gives its task back at nobody’s charge, and comes back as the same worker', async () => {
  const helper = await newHelper();
  const { id } = await newestWorker();
  const job = await client.submit(counting(async, [held]));
  await saved(job);
  await helper.close();
  await eventually(
    () => newestWorker(),
    ({ status }) => status === 'offline',
  );
  expect((await client.task(job.id, 0)).attempts).toMatchObject([
    { status: 'released', error: { type: 'worker_drained' } },
  ]);
  const again = await HelpingPage.open(context, `${proxy.url}/worker`);
  await again.press('Start helping');
  expect((await ended(job)).attempts).toMatchObject([{}, { status: 'completed', worker_id: id }]);
  expect(await client.failures(id)).toEqual([]);
});

test('a tab that is closed while its agent is busy gives its task back at once', async () => {
  const helper = await newHelper();
  const job = await client.submit(counting(async, [held]));
  await saved(job);
  await helper.agent.evaluate('void setTimeout(() => { for (;;); })');
  await helper.close();
  const { attempts } = await eventually(
    () => client.task(job.id, 0),
    ({ attempts: [first] }) => first?.status !== 'running',
  );
  // Whoever is taken for cut off is waited for, and charged; and nothing goes to a thread that is about to end.
  expect(attempts).toMatchObject([{ status: 'released', error: { type: 'worker_drained' } }]);
  expect(await client.failures((await newestWorker()).id)).toEqual([]);
});

test('a tab that is closed without a network, while its agent is busy, gives its task back when it is opened again', async () => {
  const helper = await newHelper();
  const job = await client.submit(counting(async, [held]));
  await saved(job);
  await expect.poll(() => helper.keptNames()).toContain('holding');
  await helper.agent.evaluate('void setTimeout(() => { for (;;); })');
  proxy.shut();
  await helper.close();
  expect((await client.task(job.id, 0)).attempts).toMatchObject([{ status: 'running' }]);
  proxy.open();
  const again = await HelpingPage.open(context, `${proxy.url}/worker`);
  // The browser lets a thread that does not end by itself run on for a while.
  await eventually(
    async () => {
      await again.shows('elsewhere', 'return');
      if ((await again.view()) === 'elsewhere') await again.page.reload();
      return again.view();
    },
    (view) => view === 'return',
  );
  await again.press('Start helping');
  expect((await ended(job)).attempts).toMatchObject([
    { status: 'released' },
    { status: 'completed' },
  ]);
  expect(await client.failures((await newestWorker()).id)).toEqual([]);
});

test('three reloads in a row do not fail a good task', async () => {
  const helper = await newHelper();
  const job = await client.submit(counting(async, [{ ...held, hold: 99, ms: 300 }]));
  for (let i = 1; i <= 3; i++) {
    await helper.shows('working');
    await eventually(
      () => client.task(job.id, 0),
      ({ status, attempts }) => status === 'running' && attempts.length === i,
    );
    await helper.page.reload();
  }
  const { attempts } = await ended(job);
  expect(attempts.map(({ status }) => status)).toEqual([
    'released',
    'released',
    'released',
    'completed',
  ]);
  expect(await client.failures((await newestWorker()).id)).toEqual([]);
});

test('rests by the rules of its owner, says why, and goes on by itself', async () => {
  context = await browser.newContext({ userAgent: PHONE, timezoneId: 'UTC' });
  const helper = await HelpingPage.join(context, `${proxy.url}/worker${await link()}`);
  const listed = async () => (await muster('workers')).stdout;

  await helper.pretend({ network: 'cellular' });
  await helper.says('Resting until there is Wi-Fi');
  await expect.poll(listed).toContain('resting: not on a metered connection');
  await helper.pretend({ network: 'wifi' });
  await helper.shows('idle');

  await helper.pretend({ isCharging: false, level: 0.3 });
  await helper.says('Resting until it is plugged in');
  await expect.poll(listed).toContain('resting: only while charging');
  await helper.settings(async (sheet) => {
    await sheet.getByRole('switch', { name: 'Only while charging' }).uncheck();
    await sheet.getByLabel('Battery, unplugged').selectOption('50');
  });
  await helper.says('Resting until the battery is at 50 %');
  await expect.poll(listed).toContain('resting: battery too low');
  await helper.pretend({ level: 0.6 });
  await helper.shows('idle');
  await helper.pretend({ level: 0.4 });
  await helper.press('Help on battery for an hour');
  await helper.shows('idle');
  await helper.says(/On battery until .*, as you allowed/);

  const inHours = (hours: number) =>
    new Date(Date.now() + hours * 3_600_000).toISOString().slice(11, 16);
  const from = inHours(2);
  await helper.settings(async (sheet) => {
    await sheet.getByRole('switch', { name: 'Only at certain hours' }).check();
    await sheet.getByLabel('from', { exact: true }).fill(from);
    await sheet.getByLabel('to', { exact: true }).fill(inHours(3));
  });
  await helper.says(new RegExp(`Resting until .*${from}`));
  await expect.poll(listed).toContain('resting: outside the hours of its owner');
  const job = await client.submit(square);
  expect(await muster('explain', job.id, '0')).toMatchObject({
    stdout: expect.stringContaining('resting: outside the hours of its owner'),
  });
  await helper.settings((sheet) =>
    sheet.getByRole('switch', { name: 'Only at certain hours' }).uncheck(),
  );
  await ended(job);
});

test('waits until a person lets it in', async () => {
  context = await browser.newContext();
  const helper = await HelpingPage.open(context, `${proxy.url}/worker${await link(true)}`);
  await helper.says('Somebody there says yes first. Then it begins by itself.');
  await helper.press('Start helping');
  await helper.shows('waiting');
  await helper.page.reload();
  await helper.shows('waiting');
  await client.approve((await newestWorker()).id);
  await helper.shows('idle');
  expect(await ended(await client.submit(square))).toMatchObject({ result: 49 });
});

test('one tab helps, a second one says so', async () => {
  const helper = await newHelper();
  const second = await HelpingPage.open(context, `${proxy.url}/worker`);
  await second.says('Another tab helps already');
  await helper.close();
  await second.shows('return');
  await second.press('Start helping');
  await second.shows('idle');
  expect(await client.workers()).toHaveLength(1);
});

test('drained, it says that it is given nothing new, until it is resumed', async () => {
  const helper = await newHelper();
  const { id } = await newestWorker();
  await client.drain(id);
  await helper.shows('drained');
  await helper.says(/gives it no new tasks/);
  await client.resume(id);
  await helper.shows('idle');
  expect((await newestWorker()).id).toBe(id);
});

describe('taken off the list while it works', () => {
  test.each(['by an operator', 'with its token'])('%s', async (how) => {
    const helper = await newHelper();
    const { id } = await newestWorker();
    const job = await client.submit(counting(async, [held]));
    await saved(job);
    if (how === 'by an operator') await client.deregister(id);
    else {
      const [token] = await client.tokens.list({ workers: true });
      await client.tokens.revoke(token!.id);
    }
    await helper.shows('removed');
    await helper.says('Thank you. This device is no longer needed.');
    await client.cancel(job.id);
    expect(await client.workers()).toEqual([]);
    expect(await helper.view()).toBe('removed');
  });
});
