// Settings and the log-in of the dashboard, in a real browser.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { connect, type MusterClient } from '../../src/client/index.ts';
import { launchBrowser } from '../support/browser.ts';
import { runCli, serveCli, type ServingCli } from '../support/cli-process.ts';
import { pagesBuilt, Visitor } from '../support/dashboard/visitor.ts';

const folder = mkdtempSync(join(tmpdir(), 'muster-settings-'));
let serving: ServingCli;
let browser: Browser;
let admin: MusterClient;
let adminToken: string;

beforeAll(async () => {
  const made = ['token', 'create', '--kind', 'admin', '--label', 'operator'];
  const { stdout } = await runCli(made, { folder });
  adminToken = /mst_\S+/.exec(stdout)![0];
  [serving, browser] = await Promise.all([
    serveCli(['--workers', '0'], { folder }),
    launchBrowser(),
  ]);
  admin = connect(serving.url, { token: adminToken });
  await pagesBuilt(serving.url);
});

afterAll(async () => {
  await browser.close();
  await serving.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function loggedIn(token: string): Promise<Visitor> {
  const visitor = await Visitor.come(browser, serving.url, '/settings');
  await visitor.logIn(token);
  await visitor.page.locator('h1', { hasText: 'You are' }).waitFor();
  await visitor.page.locator('.freshness.live').waitFor();
  return visitor;
}

const panelsOf = ({ page }: Visitor) => page.locator('main h2').allTextContents();

describe('the log-in', () => {
  test('says what is wrong with a token, and opens the page with a good one', async () => {
    const visitor = await Visitor.come(browser, serving.url, '/settings');
    const { page } = visitor;
    await visitor.logIn('mst_a_nobody');
    await page.getByText(/^The token is not one of this coordinator/).waitFor();
    expect(await page.locator('.rail').count()).toBe(0);
    await visitor.logIn(` ${adminToken} `);
    await page
      .locator('h1', { hasText: 'You are admin, with a token of the kind admin.' })
      .waitFor();
    expect(await page.locator('.log-in').count()).toBe(0);
    // No script can read the session, and the token is nowhere in the page.
    const kept = await page.evaluate('document.cookie + JSON.stringify(localStorage)');
    expect(kept).not.toContain('mst_');
    expect(kept).not.toContain('session');
    expect(visitor.complaints).toEqual([]);
    await visitor.leave();
  });

  test('comes back beside the page when the session ends, and what is shown goes on after it', async () => {
    const { id, token } = await admin.tokens.create({ kind: 'client', owner: 'ivo' });
    const visitor = await loggedIn(token);
    const { page } = visitor;
    await admin.tokens.revoke(id);
    await page.getByRole('heading', { name: 'This coordinator asks for a token' }).waitFor();
    expect(await visitor.sentence()).toContain('You are ivo');
    await visitor.logIn(adminToken);
    await page.locator('h1', { hasText: 'You are admin' }).waitFor();
    await page.getByRole('heading', { name: 'Tokens' }).waitFor();
    await visitor.leave();
  });

  test('is asked for again after a log-out', async () => {
    const visitor = await loggedIn(adminToken);
    await visitor.page.getByRole('button', { name: 'Log out' }).click();
    await visitor.page.locator('.log-in').waitFor();
    const answer = await visitor.page.request.get(`${serving.url}/api/session`);
    expect(answer.status()).toBe(401);
    await visitor.leave();
  });
});

describe('an admin', () => {
  let visitor: Visitor;

  beforeEach(async () => {
    visitor = await loggedIn(adminToken);
    return () => visitor.leaveContent();
  });

  const button = (name: string | RegExp) => visitor.page.getByRole('button', { name });

  test('makes a token, which is shown once, and revokes it after a question', async () => {
    const { page } = visitor;
    await button('New token').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel(/^Owner/).fill('lea');
    await dialog.getByLabel(/^Label/).fill('notebook of Lea');
    await dialog.getByLabel(/^It ends/).selectOption('86400');
    await button('Make the token').click();
    const text = await dialog.locator('.copy-line code').textContent();
    expect(await connect(serving.url, { token: text! }).quota()).toMatchObject({
      kind: 'client',
      owner: 'lea',
    });
    await button('I have it').click();
    const row = page.getByRole('row', { name: /notebook of Lea/ });
    await row.waitFor();
    expect(await page.content()).not.toContain(text);

    await row.getByRole('button', { name: 'Revoke notebook of Lea' }).click();
    await button('Keep it').click();
    expect((await tokenOf('notebook of Lea'))?.status).toBe('good');
    await row.getByRole('button', { name: 'Revoke notebook of Lea' }).click();
    await button('Revoke the token').click();
    await row.getByText('revoked').waitFor();
    expect((await tokenOf('notebook of Lea'))?.status).toBe('revoked');
  });

  test('is told why the last admin token stays', async () => {
    await admin.tokens.create({ kind: 'viewer', label: 'wall' });
    await visitor.page.reload();
    await button('Revoke operator').click();
    await button('Revoke the token').click();
    await visitor.page.getByRole('dialog').getByRole('alert').waitFor();
    expect((await tokenOf('operator'))?.status).toBe('good');
    expect(visitor.complaints.splice(0)).toEqual([expect.stringContaining('409')]);
  });

  test('sees what was done, and finds a part of it by an address', async () => {
    const { page } = visitor;
    await admin.tokens.create({ kind: 'viewer', label: 'seen' });
    const table = page.getByRole('table', { name: 'What was done' });
    await page.getByLabel('Action', { exact: true }).selectOption('token.create');
    await page.waitForURL(/action=token\.create/);
    await table.getByRole('cell', { name: 'token.create' }).first().waitFor();
    await table.getByRole('cell', { name: 'session.begin' }).waitFor({ state: 'detached' });
    await page.getByLabel('Owner', { exact: true }).fill('nobody');
    await page.keyboard.press('Enter');
    await page.getByText('Nothing is as these filters say.').waitFor();
    await button('Show everything').click();
    await table.getByRole('cell', { name: 'coordinator.start' }).waitFor();
    expect(await page.getByText('--audit on').count()).toBe(0);
    expect(new URL(page.url()).search).toBe('');
  });

  test('sees limits and how long jobs are kept', async () => {
    const { page } = visitor;
    const limits = page.getByRole('table', { name: 'Limits' });
    const row = limits.getByRole('row', { name: /^Inputs per job/ });
    await row.waitFor();
    const { inputs_per_job: most } = await admin.limits();
    expect((await row.textContent())?.replaceAll(/\D/g, '')).toBe(String(most));
    await page.getByText('No job that has ended tells how long it is kept.').waitFor();
  });

  test('clears everything only with the word', async () => {
    const { page } = visitor;
    const program = { kind: 'javascript', source: 'export default (n) => n' } as const;
    await admin.submit({ program, inputs: [1, 2] });
    await button('Clear everything…').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('1 job with inputs and results, and 0 workers').waitFor();
    const clear = dialog.getByRole('button', { name: 'Clear everything' });
    expect(await clear.isDisabled()).toBe(true);
    await dialog.getByRole('textbox').fill('clear');
    await clear.click();
    await page.getByText('Cleared: 1 job, 2 tasks, 0 workers.').waitFor();
    expect(await admin.jobs()).toEqual([]);
    expect((await tokenOf('operator'))?.status).toBe('good');
  });

  test('chooses how the pages look, and finds it so again', async () => {
    const { page } = visitor;
    const root = page.locator('html');
    await page.getByRole('group', { name: 'Theme' }).getByRole('button', { name: 'Dark' }).click();
    await page.getByRole('group', { name: 'Rows' }).getByRole('button', { name: 'Dense' }).click();
    await page.getByRole('group', { name: 'Keys' }).getByRole('button', { name: 'Off' }).click();
    await page.reload();
    await page.locator('h1', { hasText: 'You are admin' }).waitFor();
    expect(await root.getAttribute('data-theme')).toBe('dark');
    expect(await root.getAttribute('data-density')).toBe('dense');
    await page.keyboard.press('?');
    expect(await page.getByRole('dialog').count()).toBe(0);
    await page.getByRole('group', { name: 'Keys' }).getByRole('button', { name: 'On' }).click();
    await page.locator('h1').click();
    await page.keyboard.press('?');
    await page.getByRole('dialog').waitFor();
  });
});

describe('others', () => {
  const common = ['These pages', 'You', 'What you may use', 'Limits of this coordinator'];

  test.each([
    ['client', 'sees its own quotas with their use'],
    ['viewer', 'sees what it may use'],
  ] as const)('a %s %s, and nothing of an operator', async (kind, _does) => {
    const { token } = await admin.tokens.create({
      kind,
      ...(kind === 'client' ? { owner: 'ana', quota: { open_jobs: 4 } } : {}),
    });
    const visitor = await loggedIn(token);
    const { page } = visitor;
    const quotas = page.getByRole('table', { name: 'Quotas' });
    await quotas.getByRole('row').nth(1).waitFor();
    expect(await panelsOf(visitor)).toEqual([...common, 'How long jobs are kept']);
    if (kind === 'client') {
      await quotas.getByRole('row', { name: /^Open jobs 0 .*4/ }).waitFor();
      expect(await visitor.sentence()).toContain('0 of 4 jobs are open.');
    }
    expect(visitor.complaints).toEqual([]);
    await visitor.leave();
  });
});

test('without tokens the list of what was done says what it has', async () => {
  const own = mkdtempSync(join(tmpdir(), 'muster-settings-open-'));
  const open = await serveCli(['--workers', '0'], { folder: own });
  const visitor = await Visitor.come(browser, open.url, '/settings');
  await visitor.page.getByRole('cell', { name: 'coordinator.start' }).waitFor();
  await visitor.page.getByText('unless the coordinator has --audit on').waitFor();
  expect(visitor.complaints).toEqual([]);
  await visitor.leave();
  await open.stop();
  rmSync(own, { recursive: true, force: true });
});

async function tokenOf(label: string) {
  return (await admin.tokens.list()).find((token) => token.label === label);
}
