// Browsers that help where the network, the device or the coordinator is not there for a while, and by each kind of
// address: the page in a real Chromium, and a coordinator of its own for each test.

import { readlinkSync } from 'node:fs';
import { type Browser, type BrowserContext, devices } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { insecureHost, launchBrowser } from '../support/browser.ts';
import { Cluster } from '../support/cluster.ts';
import { async, counting } from '../support/counting-job.ts';
import { FaultyLine } from '../support/faulty-line.ts';
import { HelpingPage } from '../support/helping-page.ts';
import { eventually } from '../support/muster-process.ts';
import { descendantsOf, type RunningProgram } from '../support/process-tree.ts';

const held = { steps: 10, hold: 6, ms: 100 };
const square = {
  program: { kind: 'javascript', source: 'export default (n) => n * n;' },
  inputs: [7],
} as const;
const PHONE = devices['Pixel 7'].userAgent;

let browser: Browser;
let context: BrowserContext;

beforeAll(async () => {
  browser = await launchBrowser();
});

afterEach(async () => {
  await context?.close();
});

afterAll(async () => {
  await browser.close();
});

function isOfBrowser({ pid }: RunningProgram): boolean {
  try {
    return readlinkSync(`/proc/${pid}/exe`).endsWith('/chromium');
  } catch {
    return false;
  }
}

/** Of this machine, and not of its loopback, which browsers trust. */
test('a phone that sleeps for longer than the lease comes back with its task', async () => {
  const cluster = await Cluster.start({
    flags: ['--heartbeat-seconds', '1', '--grace-seconds', '1'],
  });
  const between = await FaultyLine.to(cluster.url);
  onTestFinished(() => between.close());
  context = await browser.newContext({ userAgent: PHONE });
  const helper = await HelpingPage.join(context, `${between.url}/worker`);
  const job = await cluster.client.submit(counting(async, [{ ...held, hold: 99, ms: 500 }]));
  await eventually(
    () => cluster.client.task(job.id, 0),
    ({ status }) => status === 'running',
  );
  await helper.pretend({ isVisible: false });
  const worker = async () => (await cluster.client.workers())[0]!;
  const { lease_seconds: lease } = await eventually(
    worker,
    ({ rests_because: because }) => because === 'hidden',
  );
  expect(lease).toBe(600);

  const asleep = descendantsOf(process.pid).filter(isOfBrowser);
  expect(asleep.length).toBeGreaterThan(1);
  for (const { pid } of asleep) process.kill(pid, 'SIGSTOP');
  try {
    between.shut();
    // Longer than anybody else would be waited for.
    await eventually(worker, ({ last_heartbeat: at }) => Date.now() - Date.parse(at) > 4_500);
    expect((await cluster.client.task(job.id, 0)).status).toBe('running');
    between.open();
  } finally {
    for (const { pid } of asleep) process.kill(pid, 'SIGCONT');
  }
  await helper.pretend({ isVisible: true });
  const task = await eventually(
    () => cluster.client.task(job.id, 0),
    ({ status }) => status === 'completed' || status === 'failed',
  );
  expect(task.attempts).toMatchObject([{ status: 'completed', attempt: 1 }]);
  await expect.poll(worker).toMatchObject({ rests_because: null, lease_seconds: 3 });
});

test.each([
  { where: 'out of sight', isVisible: false, view: 'resting', becomes: 'released', charged: 0 },
  { where: 'in front', isVisible: true, view: 'working', becomes: 'lost', charged: 1 },
])('a phone whose page is killed $where: its task is $becomes', async (how) => {
  const { client, url } = await Cluster.start({ flags: ['--grace-seconds', '60'] });
  context = await browser.newContext({ userAgent: PHONE });
  const helper = await HelpingPage.join(context, `${url}/worker`);
  const job = await client.submit(counting(async, [held]));
  await eventually(
    () => client.checkpoints(job.id),
    (checkpoints) => checkpoints.at(-1)?.progress === 0.6,
  );
  await expect.poll(() => helper.keptNames()).toContain('holding');
  await helper.pretend({ isVisible: how.isVisible });
  await helper.shows(how.view);
  await helper.crash();
  const again = await HelpingPage.open(context, `${url}/worker`);
  await again.press('Start helping');
  const { attempts } = await eventually(
    () => client.task(job.id, 0),
    ({ status }) => status === 'completed' || status === 'failed',
  );
  expect(attempts).toMatchObject([{ status: how.becomes }, { status: 'completed' }]);
  const [worker] = await client.workers();
  expect(await client.failures(worker!.id)).toHaveLength(how.charged);
});

test('a coordinator that is killed is waited for, and given what was done meanwhile', async () => {
  const cluster = await Cluster.start();
  context = await browser.newContext();
  const helper = await HelpingPage.join(context, `${cluster.url}/worker`);
  const job = await cluster.client.submit(counting(async, [{ ...held, hold: 99 }]));
  await helper.shows('working');
  await cluster.coordinator.kill();
  await helper.shows('offline');
  await helper.says('No connection');
  await helper.says(/Until then one result is kept here/);
  // The page itself cannot be had now: what is kept of it says so.
  const other = await context.newPage();
  await other.goto(`${cluster.url}/worker`);
  await other.getByText('no connection').first().waitFor();
  await other.close();
  await cluster.serve();
  await helper.shows('idle');
  expect((await cluster.client.task(job.id, 0)).attempts).toMatchObject([
    { status: 'completed', attempt: 1 },
  ]);
});

describe('where the address is', () => {
  test('https with a certificate of its own, everything is there', async () => {
    const cluster = await Cluster.start({ isSecure: true });
    context = await browser.newContext({ ignoreHTTPSErrors: true });
    const helper = await HelpingPage.join(context, `${cluster.url}/worker`);
    const job = await cluster.client.submit(square);
    await eventually(
      () => cluster.client.job(job.id),
      ({ status }) => status === 'completed',
    );
    expect(await helper.page.getByText('This address is not secure').count()).toBe(0);
  });

  test('plain http, it works and says what is withheld', async () => {
    const cluster = await Cluster.start({ flags: ['--open'] });
    context = await browser.newContext();
    const { port } = new URL(cluster.url);
    const helper = await HelpingPage.open(context, `http://${insecureHost}:${port}/worker`);
    await helper.says('This address is not secure.');
    await helper.press('Start helping');
    const job = await cluster.client.submit(square);
    await eventually(
      () => cluster.client.job(job.id),
      ({ status }) => status === 'completed',
    );
    await helper.says('This address is not secure.');
    const second = await HelpingPage.open(context, helper.page.url());
    await second.says('Another tab helps already');
    expect(await cluster.client.workers()).toHaveLength(1);
    expect(await second.view()).toBe('elsewhere');
  });
});
