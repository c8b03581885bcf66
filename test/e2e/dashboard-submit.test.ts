// The page that submits a job, in a real browser, beside a coordinator that asks for tokens and a worker.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { connect, type MusterClient } from '../../src/client/index.ts';
import { launchBrowser } from '../support/browser.ts';
import { runCli, serveCli, type ServingCli } from '../support/cli-process.ts';
import { pagesBuilt, Visitor } from '../support/dashboard/visitor.ts';

const folder = mkdtempSync(join(tmpdir(), 'muster-submit-'));
const tokens: Record<string, string> = {};
let serving: ServingCli;
let browser: Browser;
let client: MusterClient;
let visitor: Visitor;

beforeAll(async () => {
  for (const [kind, ...more] of [['admin'], ['client', '--owner', 'noor'], ['viewer']] as const) {
    const { stdout } = await runCli(['token', 'create', '--kind', kind, ...more], { folder });
    tokens[kind] = /mst_\S+/.exec(stdout)![0];
  }
  [serving, browser] = await Promise.all([
    serveCli(['--workers', '1'], { folder }),
    launchBrowser(),
  ]);
  client = connect(serving.url, { token: tokens['client']! });
  await pagesBuilt(serving.url);
});

afterAll(async () => {
  await browser.close();
  await serving.stop();
  rmSync(folder, { recursive: true, force: true });
});

describe('who may submit', () => {
  beforeEach(async () => {
    visitor = await Visitor.come(browser, serving.url, '/submit');
    await visitor.logIn(tokens['client']!);
    await program().waitFor();
  });

  afterEach(() => visitor.leaveContent());

  test('runs an example with one click, and is led to its job', async () => {
    const { page } = visitor;
    await page.getByText('1 device with 1 slot is here for it.').waitFor();
    await button('Run it: A text').click();
    await page.waitForURL(/\/jobs\/[^/]+$/);
    const { name, task_count: count, owner } = await client.job(jobOf(page.url()));
    expect({ name, count, owner }).toEqual({ name: 'words-of-a-sonnet', count: 14, owner: 'noor' });
    const results = await Array.fromAsync(client.results(jobOf(page.url()), { follow: true }));
    expect(results.every(({ status }) => status === 'completed')).toBe(true);
  });

  test('tries one input first: its result is shown, and what it printed', async () => {
    const { page } = visitor;
    await program().fill('export default (n) => {\n  console.log("in", n);\n  return n * n;\n};\n');
    await inputs().fill('[12, 13]');
    await page.getByText('2 inputs, the first is 12').waitFor();
    await button('Try on one input').click();
    await page.getByText(/It completed in/).waitFor();
    expect(await page.getByRole('region', { name: 'Result' }).textContent()).toBe('144');
    const printed = await page.getByRole('region', { name: 'What it printed' }).textContent();
    expect(printed).toContain('in 12');
    const tries = (await client.jobs()).filter(({ name }) => name === 'job (try)');
    expect(tries.map(({ task_count: count }) => count)).toEqual([1]);
  });

  test('is shown the line at which a try fails', async () => {
    const { page } = visitor;
    await program().fill(
      'export default (n) => {\n  const all = n.list;\n  return all.length;\n};',
    );
    await inputs().fill('[1]');
    await button('Submit 1 task').waitFor();
    await button('Try on one input').click();
    await page.getByText(/TypeError at line 3/).waitFor();
    await page.getByText('The try failed at line 3.').waitFor();
    expect(await page.locator('.gutter .bad').textContent()).toBe('3');
  });

  test('is told at which line inputs cannot be read, before anything is sent', async () => {
    const { page } = visitor;
    await program().fill('export default (n) => n;');
    await inputs().fill('{"a": 1}\n{"a": 2}\n{"a": }\n');
    await page.getByText('Line 3 is not valid JSON (unexpected "}" at column 7).').waitFor();
    expect(await button('Submit').isDisabled()).toBe(true);
    await inputs().fill('id,name\n1,Ada\n2\n');
    await page.getByText('Line 3 has 1 field, and the header has 2.').waitFor();
    expect(await button('Try on one input').isDisabled()).toBe(true);
  });

  test('sends a file of a table without putting it into the page', async () => {
    const { page } = visitor;
    const rows = Array.from({ length: 30_000 }, (_, i) => `${i},"name ""${i}"""`);
    const buffer = Buffer.from(`id,name\n${rows.join('\n')}\n`);
    await program().fill('export default ({ id }) => id;');
    const file = { name: 'people.csv', mimeType: 'text/csv', buffer };
    await page.locator('input[type=file]').nth(1).setInputFiles(file);
    await page
      .getByText('30\u202f000 inputs, the first is {"id":"0","name":"name \\"0\\""}')
      .waitFor();
    expect(await inputs().count()).toBe(0);
    await page.locator('summary', { hasText: 'Options' }).click();
    await page.getByLabel('Name', { exact: true }).fill('people');
    await page.getByLabel('Hold').selectOption('true');
    await button('Submit 30\u202f000 tasks').click();
    await page.waitForURL(/\/jobs\/[^/]+$/);
    const job = await client.job(jobOf(page.url()));
    expect(job).toMatchObject({ name: 'people', task_count: 30_000 });
    expect(job.held_since).not.toBeNull();
    const last = await client.task(job.id, 29_999);
    expect(last.input).toEqual({ id: '29999', name: 'name "29999"' });
  });

  test('is told what an option cannot be, at its field', async () => {
    const { page } = visitor;
    await page.locator('summary', { hasText: 'Options' }).click();
    await page.getByLabel('Priority').fill('5000');
    await page.getByText('A whole number from -1000 to 1000.').waitFor();
    expect(await page.getByLabel('Priority').getAttribute('aria-invalid')).toBe('true');
  });

  test('types a label letter by letter: nothing closes, and what no device has is told', async () => {
    const { page } = visitor;
    await program().fill('export default (n) => n;');
    await inputs().fill('[1]');
    await page.locator('summary', { hasText: 'Options' }).click();
    const labels = page.getByLabel('Labels');
    await labels.pressSequentially('gpu');
    await page.getByText('Labels: Which gpu? A label has a value, as gpu=yes.').waitFor();
    await labels.press('=');
    expect(await button('Submit 1 task').isDisabled()).toBe(true);
    await page.keyboard.type('maybe');
    await page.getByText('No device here has gpu=maybe. None has a label.').waitFor();
    await button('Submit 1 task, to wait').waitFor();
    expect(await labels.inputValue()).toBe('gpu=maybe');
    expect(await labels.and(page.locator(':focus')).count()).toBe(1);
    for (const _ of 'gpu=maybe') await page.keyboard.press('Backspace');
    await button('Submit 1 task').waitFor();
    await page.getByLabel('Priority').pressSequentially('-5');
    await page.getByText('priority -5', { exact: true }).waitFor();
    expect(await page.getByLabel('Priority').isVisible()).toBe(true);
    await page.locator('summary', { hasText: 'Options' }).click();
    expect(await page.getByLabel('Priority').isVisible()).toBe(false);
  });

  test('is told what the coordinator refuses, at the line of the input', async () => {
    const { page } = visitor;
    const before = (await client.jobs()).length;
    await program().fill('export default (n) => n;');
    await inputs().fill(`1\n\n${'['.repeat(1_001)}${']'.repeat(1_001)}\n`);
    await button('Submit 2 tasks').click();
    await page.getByText(/^Line 3 is nested deeper than 1000 levels/).waitFor();
    expect(await page.locator('.gutter .bad').textContent()).toBe('3');
    expect(await client.jobs()).toHaveLength(before);
    // The browser notes the refusal as well.
    expect(visitor.complaints.splice(0)).toEqual([expect.stringContaining('422')]);
  });

  test('submits the same once more as another job', async () => {
    const { page } = visitor;
    await program().fill('export default (n) => n + 1;');
    await inputs().fill('[1, 2]');
    const submitted = async (): Promise<string> => {
      await button('Submit 2 tasks').click();
      await page.waitForURL(/\/jobs\/[^/]+$/);
      return jobOf(page.url());
    };
    const first = await submitted();
    await page.goBack();
    const second = await submitted();
    expect(second).not.toBe(first);
    expect((await client.job(second)).task_count).toBe(2);
  });

  test('opens an example by its address, and finds it again after another page', async () => {
    const { page } = visitor;
    await visitor.go('/submit?example=chains');
    await button('Submit 10\u202f000 tasks').waitFor();
    expect(await visitor.sentence()).toContain('10\u202f000 tasks to submit.');
    await page.getByRole('link', { name: 'Settings' }).first().click();
    await page.locator('h1', { hasText: 'You are noor' }).waitFor();
    await page.getByRole('link', { name: 'Submit a job' }).first().click();
    await button('Submit 10\u202f000 tasks').waitFor();
  });
});

test('who looks on gets a sentence instead of the form', async () => {
  const onlooker = await Visitor.come(browser, serving.url, '/submit');
  await onlooker.logIn(tokens['viewer']!);
  await onlooker.page.locator('h1', { hasText: 'You look on' }).waitFor();
  expect(await onlooker.page.getByRole('textbox', { name: 'Program' }).count()).toBe(0);
  expect(await onlooker.page.getByRole('link', { name: 'Submit a job' }).count()).toBe(0);
  expect(onlooker.complaints).toEqual([]);
  await onlooker.leave();
});

const program = () => visitor.page.getByRole('textbox', { name: 'Program' });
const inputs = () => visitor.page.getByRole('textbox', { name: 'Inputs' });
const button = (name: string) => visitor.page.getByRole('button', { name, exact: true });
const jobOf = (url: string) => new URL(url).pathname.split('/').at(-1)!;
