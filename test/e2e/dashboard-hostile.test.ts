// The dashboard beside people and devices that mean harm: names, messages and addresses that would be markup, script,
// endless or a trap for the language. Nothing of it runs, breaks a page or reaches beyond its line.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connect, type MusterClient } from '../../src/client/index.ts';
import { launchBrowser } from '../support/browser.ts';
import { serveCli, type ServingCli } from '../support/cli-process.ts';
import { pagesBuilt, Visitor } from '../support/dashboard/visitor.ts';

const folder = mkdtempSync(join(tmpdir(), 'muster-hostile-'));
const markup = '"><img src=x onerror="globalThis.pwned=1"><script>globalThis.pwned=1</script>';
const turned = '\u202Eevil\u202C\u200B\u2066';
const names = [
  markup.slice(0, 100),
  'javascript:globalThis.pwned=1',
  turned,
  '__proto__',
  'constructor',
  'x'.repeat(100),
  '../../etc/passwd',
  '=cmd|A1',
];
const endless = 'y'.repeat(20_000);

let serving: ServingCli;
let browser: Browser;
let client: MusterClient;
let visitor: Visitor;
let worker = '';
let failed = '';
let done = '';

interface Claimed {
  readonly assignments: readonly {
    readonly task_id: string;
    readonly attempt: number;
    readonly token: string;
    readonly job_id: string;
  }[];
}

beforeAll(async () => {
  [serving, browser] = await Promise.all([
    serveCli(['--workers', '0'], { folder }),
    launchBrowser(),
  ]);
  client = connect(serving.url);
  await pagesBuilt(serving.url);
  const program = {
    kind: 'javascript',
    source: `</script>${markup} export default (n) => n`,
  } as const;
  const ids: string[] = [];
  for (const name of names) {
    const job = { name, client_id: name, program, inputs: [markup, endless], max_attempts: 1 };
    ids.push((await client.submit(job)).id);
  }
  [failed = '', done = ''] = ids;
  const telemetry = { cpu_load_percent: 1e308, ram_total_mb: -5, battery_level_percent: 1e9 };
  for (const name of names) {
    const labels = { [name]: name, constructor: markup };
    const device = { type: name, platform: name, name, slots: 4, labels, telemetry };
    const answer = await post('/api/workers', device);
    if (worker === '') worker = (await hostileWork(answer as never)).id;
  }
  visitor = await Visitor.come(browser, serving.url, '/settings');
  await visitor.page.locator('.freshness.live').waitFor();
});

/** Fails one job with such messages, and completes another with such values. */
async function hostileWork({ worker_id: id, worker_token: token }: Record<string, string>) {
  const path = `/api/workers/${id}`;
  const got = (await post(`${path}/claim`, { max: 4, wait_seconds: 10 }, token)) as Claimed;
  const results: object[] = [];
  const failures: object[] = [];
  for (const { task_id, attempt, token: fence, job_id: job } of got.assignments) {
    const ref = { task_id, attempt, token: fence };
    const value = JSON.parse(
      `{"__proto__": 1, "constructor": ${JSON.stringify(markup)}}`,
    ) as object;
    if (job !== failed) results.push({ ...ref, value, run_ms: 9e15 });
    else
      failures.push({ ...ref, error_type: markup, error_message: `${markup}${turned}${endless}` });
  }
  await post(`${path}/report`, { results, failures }, token);
  await post(`${path}/heartbeat`, { telemetry: {}, rest: { because: '__proto__' } }, token);
  return { id: id! };
}

async function post(path: string, body: object, token?: string): Promise<unknown> {
  const response = await fetch(`${serving.url}${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(await response.text());
  return response.json();
}

afterAll(async () => {
  await browser.close();
  await serving.stop();
  rmSync(folder, { recursive: true, force: true });
});

const pages: readonly (readonly [string, () => string])[] = [
  ['the overview', () => '/'],
  ['the jobs', () => '/jobs'],
  ['a job that failed', () => `/jobs/${failed}`],
  ['a job that completed', () => `/jobs/${done}`],
  ['a task that failed', () => `/jobs/${failed}/tasks/0`],
  ['a task that completed', () => `/jobs/${done}/tasks/0`],
  ['the workers, by kind', () => `/workers?group=kind&open=${worker}`],
  ['a worker', () => `/workers/${worker}`],
  ['the scheduler', () => '/scheduler'],
  ['the evaluation', () => '/evaluation'],
  ['the timeline', () => '/timeline'],
  ['the recovery', () => '/recovery'],
  ['a search for markup', () => `/jobs?q=${encodeURIComponent(markup)}`],
  ['an endless search', () => `/jobs?q=${'z'.repeat(6_000)}`],
  ['a state that is none', () => '/jobs?status=__proto__&sort=constructor'],
  ['an algorithm that is none', () => '/scheduler?algorithm=__proto__&weights=NaN&w=%00'],
  ['workers by nothing', () => '/workers?group=constructor&state=__proto__&sort=toString.desc'],
  ['an evaluation of nothing', () => '/evaluation?of=job:%2e%2e&with=__proto__&since=275760-09-13'],
  ['a window of no time', () => '/timeline?from=NaN&to=1e99&window=__proto__'],
  ['a job behind a path', () => '/jobs/..%2f..%2fapi%2fsession'],
  ['a job of nothing', () => '/jobs/%00'],
  ['a task without a number', () => `/jobs/${failed}/tasks/-1e9?attempt=1e99`],
  ['a worker behind a path', () => '/workers/%2e%2e%2fstats'],
];

test.each(pages)('%s is drawn, and nothing runs in it', async (_name, pathOf) => {
  const { page } = visitor;
  await page.evaluate(
    `history.pushState(null, '', ${JSON.stringify(pathOf())}); dispatchEvent(new PopStateEvent('popstate'))`,
  );
  await page.locator('main h1').first().waitFor();
  await page.locator('main .bones').first().waitFor({ state: 'detached' });
  expect(await page.evaluate('globalThis.pwned')).toBeUndefined();
  expect(await page.locator('main img, main script, main iframe').count()).toBe(0);
  expect(await page.locator('a[href^="javascript:"], a[href^="data:"]').count()).toBe(0);
  const tooWide = await page.evaluate(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
  expect(tooWide).toBe(0);
  const isRefusal = /status of 4\d\d/;
  expect(visitor.complaints.splice(0).filter((text) => !isRefusal.test(text))).toEqual([]);
});

test('what a hostile name is asked about and found by stays in its place', async () => {
  const { page } = visitor;
  await page.evaluate(
    `history.pushState(null, '', '/jobs/${failed}'); dispatchEvent(new PopStateEvent('popstate'))`,
  );
  await page.getByRole('button', { name: 'Delete job…' }).click();
  await page.getByRole('dialog').getByText(markup.slice(0, 20)).first().waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('combobox', { name: 'Find a job or a worker' }).fill('z'.repeat(90));
  await page.getByText('Nothing is called').waitFor();
  expect(await page.evaluate('globalThis.pwned')).toBeUndefined();
  const tooWide = await page.evaluate(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
  expect(tooWide).toBe(0);
});
