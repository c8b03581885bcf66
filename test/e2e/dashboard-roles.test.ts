// Who may not do everything goes through every page of the dashboard: nothing that they are offered is refused, no
// part says that it cannot be shown, and what belongs to others is nowhere.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page, Response } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { connect, type MusterClient } from '../../src/client/index.ts';
import { launchBrowser } from '../support/browser.ts';
import { runCli, serveCli, type ServingCli } from '../support/cli-process.ts';
import { PlayedWorker } from '../support/dashboard/played-device.ts';
import { labDevices } from '../support/dashboard/played-lab.ts';
import { pagesBuilt, Visitor } from '../support/dashboard/visitor.ts';

const folder = mkdtempSync(join(tmpdir(), 'muster-roles-'));
const program = { kind: 'javascript', source: 'export default (n) => n' } as const;
const secret = 'ledger-of-bob';

let serving: ServingCli;
let browser: Browser;
let admin: MusterClient;
let device: PlayedWorker;
let visitor: Visitor;
const tokens: Record<string, string> = {};
const jobs = { own: '', failed: '', others: '' };

beforeAll(async () => {
  const made = ['token', 'create', '--kind', 'admin', '--label', 'operator'];
  const { stdout } = await runCli(made, { folder });
  const adminToken = /mst_\S+/.exec(stdout)![0];
  [serving, browser] = await Promise.all([
    serveCli(['--workers', '0'], { folder }),
    launchBrowser(),
  ]);
  admin = connect(serving.url, { token: adminToken });
  for (const owner of ['ana', 'bob']) {
    tokens[owner] = (await admin.tokens.create({ kind: 'client', owner })).token;
  }
  tokens['viewer'] = (await admin.tokens.create({ kind: 'viewer' })).token;
  tokens['join'] = (await admin.tokens.create({ kind: 'join' })).token;
  const submit = async (owner: string, name: string, inputs: readonly object[]) => {
    const job = { name, program, inputs: [...inputs] as never, max_attempts: 1 };
    return (await connect(serving.url, { token: tokens[owner]! }).submit(job)).id;
  };
  const times = (count: number, input: object) => Array.from({ length: count }, () => input);
  jobs.failed = await submit('ana', 'trees', [{ seconds: 0, error: 'row has no label:' }]);
  jobs.own = await submit('ana', 'docking', times(3, { seconds: 30, checkpoints: 60 }));
  jobs.others = await submit('bob', secret, times(40, { seconds: 30 }));
  const [kind] = labDevices;
  device = await PlayedWorker.join(serving.url, { ...kind!, slots: 6 }, adminToken);
  await pagesBuilt(serving.url);
  while ((await admin.job(jobs.others)).status !== 'running') {
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
});

afterAll(async () => {
  device.die();
  await browser.close();
  await serving.stop();
  rmSync(folder, { recursive: true, force: true });
});

afterEach(() => visitor.leave());

/** Each with a part of what its page says when it is there. */
const pages: readonly (readonly [string, () => string])[] = [
  ['the overview', () => '/'],
  ['the jobs', () => '/jobs'],
  ['a job that runs', () => `/jobs/${jobs.own}`],
  ['a job that failed', () => `/jobs/${jobs.failed}`],
  ["somebody else's job", () => `/jobs/${jobs.others}`],
  ['a task that runs', () => `/jobs/${jobs.own}/tasks/0`],
  ['a task that failed', () => `/jobs/${jobs.failed}/tasks/0`],
  ["a task of somebody else's job", () => `/jobs/${jobs.others}/tasks/0`],
  ['the workers, with one open', () => `/workers?open=${device.id}`],
  ['a worker', () => `/workers/${device.id}`],
  ['the scheduler', () => '/scheduler'],
  ['the evaluation', () => '/evaluation'],
  ['the timeline', () => '/timeline'],
  ['the recovery', () => '/recovery'],
  ['submitting', () => '/submit'],
  ['connecting', () => '/connect'],
  ['the settings', () => '/settings'],
];

const ofOperators =
  /Drain|Remove|Rename|Trust|Let in|Refuse|^Apply|Connect a device|New token|Revoke|Clear everything/;
const ofSubmitters = /Cancel|Retry|Hold|Delete|Download|Release|Submit a/;
/** They would leave the page, change what the others look at, or rightly say no. */
const notPressed = /Log out|Hold|Retry|Run|Send|Submit|Try|CSV/;

/** In the page. */
declare const document: {
  querySelectorAll(selector: string): Iterable<{ readonly textContent: string; click(): void }>;
};

class Walk {
  readonly refused: string[] = [];
  readonly #page: Page;
  readonly #open = new Set<unknown>();

  constructor(page: Page) {
    this.#page = page;
    page.on('request', (request) => {
      const { pathname } = new URL(request.url());
      if (pathname.startsWith('/api/') && pathname !== '/api/events') this.#open.add(request);
    });
    page.on('requestfailed', (request) => this.#open.delete(request));
    page.on('requestfinished', (request) => this.#open.delete(request));
    page.on('response', (response) => {
      const refused = refusedOf(response);
      if (refused !== null) this.refused.push(refused);
    });
  }

  /** What is refused of what is asked from now on; what is under way does not count. */
  refusedFromNow(): readonly string[] {
    const asked = new Set<unknown>();
    const all: string[] = [];
    this.#page.on('request', (request) => asked.add(request));
    this.#page.on('response', (response) => {
      const refused = refusedOf(response);
      if (refused !== null && asked.has(response.request())) all.push(refused);
    });
    return all;
  }

  /** As by a link of the page. */
  async go(path: string): Promise<void> {
    await this.#page.evaluate(
      `history.pushState(null, '', '${path}'); dispatchEvent(new PopStateEvent('popstate'))`,
    );
    await this.#page.locator('main h1').first().waitFor();
    await this.settled();
  }

  /** Everything that was asked for was answered and is drawn. */
  async settled(): Promise<void> {
    while (this.#open.size > 0) await new Promise((resolve) => setTimeout(resolve, 50));
    await this.#page.locator('main .bones').first().waitFor({ state: 'detached' });
  }

  names(): Promise<readonly string[]> {
    return this.#page.evaluate(() => {
      const all = [...document.querySelectorAll('.app button, .app a, .app summary')];
      return all.map(({ textContent }) => textContent.trim());
    });
  }

  async faults(): Promise<readonly string[]> {
    const all = this.#page.locator('.fault, .notice.bad, [role="alert"]');
    return (await all.allTextContents()).filter((text) => text.trim() !== '');
  }

  /** All buttons of the page, one after the other, as they were there at first. */
  async pressAll(): Promise<void> {
    await this.#page.evaluate((skipped) => {
      for (const button of document.querySelectorAll('main button')) {
        if (!new RegExp(skipped).test(button.textContent)) button.click();
      }
    }, notPressed.source);
    await this.settled();
  }
}

function refusedOf(response: Response): string | null {
  if (response.status() !== 401 && response.status() !== 403) return null;
  const { pathname, search } = new URL(response.url());
  return `${response.request().method()} ${pathname}${search}`;
}

async function loggedIn(token: string): Promise<Walk> {
  visitor = await Visitor.come(browser, serving.url, '/settings');
  await visitor.logIn(token);
  await visitor.page.locator('h1', { hasText: 'You are' }).waitFor();
  return new Walk(visitor.page);
}

describe.each(['viewer', 'ana'])('%s', (who) => {
  test('finds nothing that is refused, and nothing of others, on any page', async () => {
    const walk = await loggedIn(tokens[who]!);
    const { page } = visitor;
    for (const [name, pathOf] of pages) {
      await walk.go(pathOf());
      const names = await walk.names();
      expect(
        names.filter((text) => ofOperators.test(text)),
        name,
      ).toEqual([]);
      if (who === 'viewer') {
        expect(
          names.filter((text) => ofSubmitters.test(text)),
          name,
        ).toEqual([]);
      } else expect(await page.content(), name).not.toContain(secret);
      await walk.pressAll();
      expect(await walk.faults(), name).toEqual([]);
      expect(walk.refused, name).toEqual([]);
    }
    expect(visitor.complaints.filter((text) => !text.includes('status of 404'))).toEqual([]);
  });
});

test('a client is told on the page of a worker what all may know', async () => {
  const walk = await loggedIn(tokens['ana']!);
  await walk.go(`/workers/${device.id}`);
  const panels = await visitor.page.locator('main h2').allTextContents();
  expect(panels.slice(1)).toEqual(['About it', 'What it did last for you']);
  expect(await visitor.sentence()).toContain('atlas');
});

test('a token that lets devices join opens no page', async () => {
  visitor = await Visitor.come(browser, serving.url, '/');
  await visitor.logIn(tokens['join']!);
  await visitor.page
    .getByRole('alert')
    .filter({ hasText: /this one is for a worker/ })
    .waitFor();
  expect(await visitor.page.locator('.rail').count()).toBe(0);
});

test('who logs in after somebody else sees nothing of what they were shown', async () => {
  const { id, token } = await admin.tokens.create({ kind: 'client', owner: 'bob' });
  const walk = await loggedIn(token);
  const { page } = visitor;
  await walk.go('/jobs');
  await page.getByText(secret).first().waitFor();
  await admin.tokens.revoke(id);
  await page.locator('.log-in').waitFor();
  let release = (): void => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  try {
    const held = new Promise<void>((resolve) => {
      void page.route(/\/api\/jobs\?/, async (route) => {
        resolve();
        await released;
        await route.continue();
      });
    });
    await visitor.logIn(tokens['ana']!);
    await held;
    await page.locator('.log-in').waitFor({ state: 'detached' });
    expect(await page.content()).not.toContain(secret);
  } finally {
    release();
  }
  await page.getByText('docking').first().waitFor();
  expect(await page.content()).not.toContain(secret);
});

test('while a token is asked for nothing else is asked', async () => {
  const { id, token } = await admin.tokens.create({ kind: 'client', owner: 'ana' });
  const walk = await loggedIn(token);
  const { page } = visitor;
  await walk.go('/workers');
  await page.clock.install();
  await page.reload();
  await walk.settled();
  await admin.tokens.revoke(id);
  await page.locator('.log-in').waitFor();
  const refused = walk.refusedFromNow();
  await page.clock.runFor(120_000);
  await walk.settled();
  expect(refused).toEqual([]);
});

describe('in another tab', () => {
  const bobs = async (): Promise<{ readonly id: string; readonly token: string }> =>
    admin.tokens.create({ kind: 'client', owner: 'bob' });

  async function anotherTab(path: string): Promise<Page> {
    const page = await visitor.page.context().newPage();
    await page.goto(`${serving.url}${path}`);
    return page;
  }

  /** What somebody was shown and has typed, in the first tab. */
  async function useAs(token: string, path: string): Promise<void> {
    const walk = await loggedIn(token);
    await walk.go('/submit');
    await visitor.page.getByRole('textbox', { name: 'Program' }).fill(`// ${secret}`);
    if (path === '/submit') return;
    await walk.go(path);
    await visitor.page.getByText(secret).first().waitFor();
  }

  test('who logs out leaves nothing to be seen in the first', async () => {
    await useAs((await bobs()).token, '/jobs');
    const other = await anotherTab('/settings');
    const begun = visitor.page.waitForRequest((request) => request.isNavigationRequest());
    await other.getByRole('button', { name: 'Log out' }).click();
    await begun;
    await visitor.page.locator('.log-in').waitFor();
    expect(await visitor.page.locator('.rail').count()).toBe(0);
    expect(await visitor.page.content()).not.toContain(secret);
  });

  test('who logs in as somebody else is who looks at the first, too', async () => {
    const { id, token } = await bobs();
    await useAs(token, `/jobs/${jobs.others}`);
    const { page } = visitor;
    await page.getByRole('button', { name: 'Cancel job' }).click();
    await page.getByRole('heading', { name: `Cancel ${secret}?` }).waitFor();
    const other = await anotherTab('/settings');
    await admin.tokens.revoke(id);
    await other.locator('.log-in input').fill(tokens['ana']!);
    await other.getByRole('button', { name: 'Log in' }).click();
    await page.getByText('This job is not here.').waitFor();
    await page.locator('.freshness.live').waitFor();
    expect(await page.content()).not.toContain(secret);
    await page.getByRole('link', { name: 'Submit a job' }).first().click();
    await page.getByRole('textbox', { name: 'Program' }).waitFor();
    expect(await page.getByRole('textbox', { name: 'Program' }).inputValue()).toBe('');
  });

  test('the same person is asked for a token in one tab only, and loses nothing in the other', async () => {
    const { id, token } = await bobs();
    await useAs(token, '/submit');
    const { page } = visitor;
    const other = await anotherTab('/settings');
    await other.locator('h1', { hasText: 'You are bob' }).waitFor();
    await admin.tokens.revoke(id);
    await page.locator('.log-in').waitFor();
    expect(await page.locator('.stale-line').count()).toBe(0);
    await other.locator('.log-in input').fill((await bobs()).token);
    await other.getByRole('button', { name: 'Log in' }).click();
    await page.locator('.log-in').waitFor({ state: 'detached' });
    await page.locator('.freshness.live').waitFor();
    const text = await page.getByRole('textbox', { name: 'Program' }).inputValue();
    expect(text).toBe(`// ${secret}`);
  });
});
