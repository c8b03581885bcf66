// The pages of jobs in a real browser: what happens is seen without asking again, nothing is pushed, and every end has
// a way out.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { connect, type MusterClient } from '../../src/client/index.ts';
import { launchBrowser } from '../support/browser.ts';
import { serveCli, type ServingCli } from '../support/cli-process.ts';
import { type PlayedInput, PlayedWorker } from '../support/dashboard/played-device.ts';
import { labDevices } from '../support/dashboard/played-lab.ts';

const folder = mkdtempSync(join(tmpdir(), 'muster-jobs-page-'));
/** Many times what a page needs: a busy machine is no fault. */
const patienceMs = 60_000;
const program = { kind: 'javascript', source: 'export default (input) => input;' } as const;
const quick: PlayedInput = { seconds: 0.01 };
const bad: PlayedInput = { seconds: 0.01, error: 'row has no label:' };
let serving: ServingCli;
let browser: Browser;
let client: MusterClient;
let worker: PlayedWorker;

beforeAll(async () => {
  [serving, browser] = await Promise.all([
    serveCli(['--workers', '0'], { folder }),
    launchBrowser(),
  ]);
  client = connect(serving.url);
  worker = await PlayedWorker.join(serving.url, labDevices[0]!);
});

afterAll(async () => {
  worker.die();
  await browser.close();
  await serving.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function submit(name: string, inputs: readonly PlayedInput[], more: object = {}) {
  const job = { name, program, inputs: [...inputs] as never, ...more };
  return (await client.submit(job)).id;
}

async function ended(id: string): Promise<void> {
  for await (const result of client.results(id, { follow: true })) void result;
}

async function opened(address: string): Promise<Page> {
  const context: BrowserContext = await browser.newContext({
    viewport: { width: 1440, height: 900 },
  });
  onTestFinished(() => context.close());
  context.setDefaultTimeout(patienceMs);
  const page = await context.newPage();
  await page.goto(`${serving.url}${address}`);
  await page.locator('.freshness.live').waitFor();
  return page;
}

const heading = (page: Page, text: string | RegExp) =>
  page.getByRole('heading', { level: 1, name: text }).waitFor();

test('a held job is released, and its end is seen as it comes', async () => {
  const id = await submit('held-squares', [quick, quick, quick], { hold: true });
  const page = await opened(`/jobs/${id}`);
  await heading(page, 'held-squares is at 0\u202f%, and held: nothing new starts.');
  await page.getByText('Release it to go on.').waitFor();
  await page.getByRole('button', { name: 'Release' }).click();
  await heading(page, /^held-squares completed 3 tasks in /);
  await page.getByRole('button', { name: 'Delete job…' }).waitFor();
  expect(await page.getByRole('button', { name: 'Hold' }).count()).toBe(0);
});

test('the grid is read and opened by keys alone', async () => {
  const id = await submit('grid', [quick, bad, quick], { max_attempts: 1 });
  await ended(id);
  const page = await opened(`/jobs/${id}`);
  const grid = page.getByRole('application', {
    name: /^3 tasks in 3 cells: 2 completed and 1 failed/,
  });
  await grid.focus();
  await grid.press('ArrowRight');
  await grid.press('ArrowRight');
  await page.getByText('Task 1: failed').waitFor({ state: 'attached' });
  await grid.press('Enter');
  await page.waitForURL(`**/jobs/${id}/tasks/1`);
  await heading(page, /RangeError/);
  const attempts = page.getByRole('table', { name: 'Attempts' });
  await attempts.getByText('failed').waitFor();
  expect(await attempts.getByRole('row').count()).toBe(2);
});

test('what failed altogether is told before everything else, and may be retried', async () => {
  const id = await submit('all-bad', [bad, bad], { max_attempts: 1 });
  await ended(id);
  const page = await opened(`/jobs/${id}`);
  await heading(page, /^All 2 tasks of all-bad failed/);
  await page.getByText('row has no label', { exact: false }).first().waitFor();
  await page.getByText(/^First to fail, by time: Task [01] failed at attempt 1: /).waitFor();
  await page.getByText(/^ended today \d\d:\d\d:\d\d$/).waitFor();
  await page.getByRole('link', { name: 'Errors 2', exact: true }).waitFor();
  const panels = await page.locator('main h2').allInnerTexts();
  expect(panels.indexOf('Errors')).toBeLessThan(panels.indexOf('Tasks'));
  await page.getByRole('button', { name: 'Retry 2 failed' }).click();
  await page.getByText('2 failed wait again.').waitFor();
  await expect
    .poll(async () => (await client.job(id)).tasks.map(({ attempt }) => attempt))
    .toEqual([2, 2]);
});

test('a retry of what fails on every device is warned of, and such devices are in the picture', async () => {
  const other = await PlayedWorker.join(serving.url, { ...labDevices[1]!, name: 'borealis' });
  onTestFinished(() => other.die());
  const id = await submit('unlabelled', [...Array.from({ length: 4 }, () => quick), bad], {
    max_attempts: 2,
    retry_delay_seconds: 0,
  });
  await ended(id);
  const page = await opened(`/jobs/${id}`);
  await page.getByRole('button', { name: 'Retry 1 failed' }).waitFor();
  await page.getByText('Retry: it fails on every device: look at the inputs first.').waitFor();
  await page.getByRole('link', { name: 'Errors 2', exact: true }).waitFor();
  await page.getByText(/^since \d\d:\d\d:\d\d, 2 of 2 devices$/).waitFor();
  const { kinds } = (await (await fetch(`${serving.url}/api/jobs/${id}/errors`)).json()) as {
    kinds: readonly object[];
  };
  expect(kinds).toMatchObject([{ attempts: 2, tasks: 1, workers: 2 }]);
});

test('what failed on a device is told whole on its page, over several lines', async () => {
  const error = `${'the row that was read has no label '.repeat(6)}at all:`;
  const id = await submit('long', [{ seconds: 0.01, error }], { max_attempts: 1 });
  await ended(id);
  const { worker_id: on } = await client.task(id, 0);
  const page = await opened(`/workers/${on}`);
  const told = page.locator('#failures .failure', { hasText: 'at all: 0' });
  await told.waitFor();
  const whole = await told.evaluate(
    ({ scrollHeight, clientHeight, scrollWidth, clientWidth }) =>
      scrollHeight <= clientHeight && scrollWidth <= clientWidth,
  );
  expect(whole).toBe(true);
});

test('a cancel counts what it costs, and leaves the focus where nothing is lost', async () => {
  const id = await submit('cancelled', [quick, quick], { hold: true });
  const page = await opened(`/jobs/${id}`);
  await page.getByRole('button', { name: 'Cancel job…' }).click();
  await page.getByText('2 tasks wait and will not start.').waitFor();
  const focused = page.locator('dialog button:focus');
  expect(await focused.innerText()).toBe('Let it go on');
  await page.getByRole('button', { name: 'Cancel the job' }).click();
  await heading(page, /^cancelled was cancelled with 0 of 2 tasks completed/);
});

test('results that are flat are downloaded as a table', async () => {
  const id = await submit('flat', [quick, quick]);
  await ended(id);
  const page = await opened(`/jobs/${id}`);
  await page.getByText('Download results').click();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'CSV, where they are flat' }).click(),
  ]);
  expect(download.suggestedFilename()).toMatch(/^flat-\d{4}-\d\d-\d\d\.csv$/);
  const lines = readFileSync(await download.path(), 'utf8')
    .trimEnd()
    .split('\r\n');
  // Values that are called like a column of the table have a prefix, and so have those beside them.
  expect(lines[0]).toBe('index,status,value.index,value.seconds,error');
  await page.getByText(`Downloaded: ${download.suggestedFilename()}.`).waitFor();
  expect(lines.slice(1).map((line) => line.split(',').slice(0, 2))).toEqual([
    ['0', 'completed'],
    ['1', 'completed'],
  ]);
});

test('a new job pushes no row: it waits above the list until it is asked for', async () => {
  await submit('before', [quick], { client_id: 'list', hold: true });
  const page = await opened('/jobs?q=list');
  const names = page.locator('.jobs-name');
  await expect.poll(() => names.allInnerTexts()).toEqual(['before']);
  await submit('after', [quick], { client_id: 'list', hold: true });
  const bar = page.getByRole('button', { name: '1 new job' });
  await bar.waitFor();
  expect(await names.allInnerTexts()).toEqual(['before']);
  await bar.click();
  await expect.poll(() => names.allInnerTexts()).toEqual(['after', 'before']);
});

test('a list that is opened again has at once what was submitted meanwhile', async () => {
  await ended(await submit('before', [quick]));
  const page = await opened('/jobs');
  await page.getByRole('link', { name: 'before' }).first().waitFor();
  const rail = page.getByRole('navigation').first();
  const count = rail.getByRole('link', { name: 'Jobs' }).locator('.count');
  await rail.getByRole('link', { name: 'Settings' }).click();
  await page.getByText('Limits of this coordinator').waitFor();
  const id = await submit('meanwhile', [quick], { hold: true });
  // What is counted was told before.
  const open = await fetch(`${serving.url}/api/jobs?status=pending,running`);
  const { length } = (await open.json()) as readonly object[];
  await expect.poll(() => count.textContent()).toBe(String(length));
  await rail.getByRole('link', { name: 'Jobs' }).click();
  await page.getByRole('link', { name: 'meanwhile' }).waitFor();
  expect(await page.locator('.jobs-fresh').count()).toBe(0);
  await client.cancel(id);
});

test('the page of a task leads to its job and its device, and to decisions that are kept', async () => {
  const id = await submit('one-task', [quick]);
  await ended(id);
  const page = await opened(`/jobs/${id}/tasks/0`);
  await heading(page, /^Task 0\. Completed on atlas/);
  const way = page.locator('.crumb').getByRole('link', { name: 'one-task' });
  expect(await way.getAttribute('href')).toBe(`/jobs/${id}`);
  const attempts = page.getByRole('table', { name: 'Attempts' });
  await attempts.getByRole('link', { name: 'atlas' }).waitFor();
  await attempts.getByRole('button', { name: 'Decision of attempt 1' }).waitFor();

  await page.route(/\/tasks\/0\/explain/, async (route) => {
    const answer = await route.fetch();
    const told = (await answer.json()) as object;
    const json = { ...told, decision: null, decision_note: 'It is no longer kept.' };
    await route.fulfill({ response: answer, json });
  });
  await page.reload();
  await page.getByText('It is no longer kept.').waitFor();
  await attempts.getByRole('link', { name: 'atlas' }).waitFor();
  expect(await attempts.getByRole('button', { name: 'Decision of attempt 1' }).count()).toBe(0);
  await way.click();
  await heading(page, /one-task/);
  expect(await page.locator('.crumb').textContent()).toBe('Jobs / one-task');
});

test('filters stand in the address, and a filter without a match says which to drop', async () => {
  const page = await opened('/jobs?status=open&q=nowhere-to-be-found');
  await page
    .getByText('No open job has “nowhere-to-be-found” in its name, id or client.')
    .waitFor();
  await page.getByRole('button', { name: 'Show all jobs' }).click();
  await page.locator('.jobs-name').first().waitFor();
  expect(new URL(page.url()).search).toBe('');
});

test('a job that is not there, or is removed meanwhile, has a way out', async () => {
  const page = await opened('/jobs/nonsense');
  await heading(page, 'This job is not here.');
  const id = await submit('short-lived', [quick]);
  await ended(id);
  await page.goto(`${serving.url}/jobs/${id}`);
  await heading(page, /^short-lived completed/);
  await client.deleteJob(id);
  await heading(page, 'This job is not here.');
  await page.getByRole('link', { name: 'To all jobs' }).click();
  await heading(page, /open/);
  expect(new URL(page.url()).pathname).toBe('/jobs');
});

test('a job that no device may run is submitted again with a label that one has', async () => {
  const other = await PlayedWorker.join(serving.url, {
    ...labDevices[1]!,
    name: 'kestrel',
    labels: { gpu: 'yes', site: 'lab' },
  });
  onTestFinished(() => other.die());
  const id = await submit('embed', [quick, { seconds: 0.02 }], {
    requirements: { labels: { gpu: 'maybe' } },
    max_attempts: 2,
  });
  const page = await opened(`/jobs/${id}`);
  await page.getByText(`muster worker ${serving.url} --label gpu=maybe`).waitFor();
  await page.getByRole('link', { name: 'Submit again…' }).click();
  await heading(page, /^2 tasks to submit\. No device here has gpu=maybe\./);
  await page.getByText('what that one has completed does not count').waitFor();
  const field = (name: string) => page.getByRole('textbox', { name, exact: true });
  expect(await field('Program').inputValue()).toBe(program.source);
  expect(await field('Inputs').inputValue()).toBe('{"seconds":0.01}\n{"seconds":0.02}\n');
  expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('embed');
  expect(await page.getByLabel('Most attempts').inputValue()).toBe('2');
  const labels = page.getByLabel('Labels');
  expect(await labels.inputValue()).toBe('gpu=maybe');
  const offered = async () => {
    const all = await page.locator('datalist[id*=labels] option').all();
    return Promise.all(all.map((option) => option.getAttribute('value')));
  };
  expect(await offered()).toEqual(['gpu=yes', 'site=lab']);
  await labels.fill('gpu=yes, ');
  await heading(page, '2 tasks to submit. 1 of 2 devices with');
  expect(await offered()).toEqual(['gpu=yes, site=lab']);
  await page.getByRole('button', { name: 'Submit 2 tasks', exact: true }).click();
  await heading(page, /^embed completed 2 tasks in /);
  const made = await client.job(new URL(page.url()).pathname.split('/').at(-1)!);
  expect(made.options).toMatchObject({
    max_attempts: 2,
    requirements: { labels: { gpu: 'yes' } },
  });
  expect((await client.job(id)).counts.pending).toBe(2);
  await client.cancel(id);
});

test('a range is read back as numbers, and what was in the form can be had again', async () => {
  const job = {
    name: 'numbers',
    program,
    inputs: { range: { start: 7, count: 2500 } },
    hold: true,
  };
  const { id } = await client.submit(job);
  const page = await opened('/submit');
  await page.getByRole('textbox', { name: 'Program' }).fill('export default () => 1;');
  await page.getByRole('link', { name: 'Jobs' }).first().click();
  await page.getByRole('link', { name: 'numbers' }).click();
  await page.getByRole('link', { name: 'Submit again…' }).click();
  await heading(page, /^2\s500 tasks to submit\./);
  const inputs = page.getByRole('textbox', { name: 'Inputs', exact: true });
  expect((await inputs.inputValue()).trimEnd().split('\n')).toEqual(
    Array.from({ length: 2500 }, (_, i) => String(7 + i)),
  );
  expect(new URL(page.url()).search).toBe('');
  await page.getByRole('button', { name: 'Back' }).click();
  await expect
    .poll(() => page.getByRole('textbox', { name: 'Program' }).inputValue())
    .toBe('export default () => 1;');
  await client.cancel(id);
});
