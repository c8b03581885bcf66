// What a page of another origin can do to a coordinator that the person before the browser may use: nothing. The
// browser sends the cookie of the session to every port of the machine, so the session is worth as much as its
// rules about origins. The same page, served by the coordinator's own origin, shows that each attempt works.

import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchBrowser } from '../support/browser.ts';
import { builtApp } from '../support/dashboard/built-app.ts';
import { type LiveServer, startLiveServer } from './support/live-server.ts';

let browser: Browser;
let elsewhere: Server;
let port: number;

beforeAll(async () => {
  browser = await launchBrowser();
  elsewhere = createServer((_request, answer) => {
    answer.setHeader('content-type', 'text/html').end('<!doctype html><title>elsewhere</title>');
  });
  elsewhere.listen(0, '127.0.0.1');
  await once(elsewhere, 'listening');
  ({ port } = elsewhere.address() as AddressInfo);
}, 60_000);

afterAll(async () => {
  await browser.close();
  elsewhere.closeAllConnections();
  elsewhere.close();
});

const changes = [
  ['POST', '/api/jobs/{job}/cancel'],
  ['POST', '/api/jobs/{job}/hold'],
  ['DELETE', '/api/jobs/{job}'],
  ['POST', '/api/jobs'],
  ['POST', '/api/scheduler/activate/fifo'],
  ['PUT', '/api/scheduler/config'],
  ['DELETE', '/api/database/clear'],
  ['POST', '/api/tokens'],
  ['POST', '/api/workers'],
  ['DELETE', '/api/session'],
] as const;
const reads = ['/api/jobs', '/api/stats', '/api/tokens', '/api/events', '/metrics', '/'];

describe.each([
  ['where nobody needs a token', false],
  ['with the session of an admin', true],
])('%s', (_mode, hasTokens) => {
  let live: LiveServer;
  let context: BrowserContext;
  let token = '';
  let job = '';

  beforeAll(async () => {
    live = await startLiveServer({}, undefined, {}, { pages: await builtApp() });
    job = await live.submit([1, 2, 3]);
    context = await browser.newContext();
    if (!hasTokens) return;
    token = (await live.call('POST', '/api/tokens', { json: { kind: 'admin' } })).body.token;
    const page = await context.newPage();
    await page.goto(live.url);
    await page.getByLabel('Token', { exact: true }).fill(token);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.locator('.freshness.live').waitFor();
    await page.close();
  }, 60_000);
  afterAll(async () => {
    await context.close();
    await live.close();
  });

  async function pageAt(origin: string): Promise<Page> {
    const page = await context.newPage();
    await page.goto(`${origin}/`);
    return page;
  }

  const asAdmin = () => (hasTokens ? { headers: { authorization: `Bearer ${token}` } } : {});

  /** What could have changed. */
  async function whatIsThere(): Promise<unknown> {
    const parts = ['/api/jobs', '/api/workers', '/api/scheduler/config', '/api/tokens'].map(
      async (path) => (await live.call('GET', path, asAdmin())).body,
    );
    return JSON.stringify(await Promise.all(parts)).replaceAll(/"last_used_at":[^,}]*/g, '');
  }

  const origins = () => [
    `http://127.0.0.1:${port}`,
    `http://localhost:${port}`,
    `http://elsewhere.localhost:${port}`,
  ];

  test('it reads nothing', async () => {
    const own = await pageAt(live.url);
    for (const path of reads) expect(await readBy(own, `${live.url}${path}`)).toBe('read');
    await own.close();
    for (const origin of origins()) {
      const page = await pageAt(origin);
      for (const path of reads) {
        expect([origin, path, await readBy(page, `${live.url}${path}`)]).toEqual([
          origin,
          path,
          'nothing',
        ]);
      }
      await page.close();
    }
  });

  test('it changes nothing, by scripts, forms and beacons', async () => {
    const before = await whatIsThere();
    for (const origin of origins()) {
      const page = await pageAt(origin);
      for (const [method, path] of changes) {
        await tryChange(page, method, `${live.url}${path.replace('{job}', job)}`);
      }
      await sendForm(page, `${live.url}/api/jobs/${job}/cancel`);
      await page.close();
      expect(await whatIsThere()).toBe(before);
    }
  });

  test('it opens no socket and no stream, and shows no page in a frame', async () => {
    const socket = `${live.url.replace('http', 'ws')}/api/workers/connect`;
    const events = `${live.url}/api/events`;
    const own = await pageAt(live.url);
    expect(await openedBy(own, 'EventSource', events)).toBe('open');
    // Sockets of pages need a ticket where there are tokens.
    expect(await openedBy(own, 'WebSocket', socket)).toBe(hasTokens ? 'refused' : 'open');
    await own.close();
    for (const origin of origins()) {
      const page = await pageAt(origin);
      expect(await openedBy(page, 'WebSocket', socket)).toBe('refused');
      expect(await openedBy(page, 'EventSource', events)).toBe('refused');
      expect(await framedBy(page, `${live.url}/`)).toBe('refused');
      await page.close();
    }
  });

  test('the page of the coordinator itself can', async () => {
    const page = await pageAt(live.url);
    const url = `${live.url}/api/jobs/${job}/cancel`;
    const status = await page.evaluate(
      async (to) => (await fetch(to, { method: 'POST' })).status,
      url,
    );
    expect(status).toBe(200);
    await page.close();
  });
});

/** Reads by a script, as whoever is logged in. */
function readBy(page: Page, url: string): Promise<string> {
  return inPage(
    page,
    url,
    String.raw`async (from) => {
    try {
      const answer = await fetch(from, { credentials: 'include' });
      const piece = await answer.body.getReader().read();
      return answer.ok && (piece.value?.length ?? 0) > 0 ? 'read' : 'nothing';
    } catch {
      return 'nothing';
    }
  }`,
  );
}

/** With a preflight and without one. */
async function tryChange(page: Page, method: string, url: string): Promise<void> {
  await inPage(
    page,
    [method, url],
    String.raw`async ([how, to]) => {
    const body = how === 'DELETE' ? null : '{"kind":"admin","type":"pc","platform":"linux"}';
    const common = { method: how, credentials: 'include', body };
    const json = { ...common, headers: { 'content-type': 'application/json' } };
    await fetch(to, json).catch(() => undefined);
    await fetch(to, common).catch(() => undefined);
    await fetch(to, { ...common, mode: 'no-cors' }).catch(() => undefined);
    if (how === 'POST') navigator.sendBeacon(to, body ?? '');
    return '';
  }`,
  );
}

/** The answer goes into a frame, which stays empty: it must not be shown in one. */
async function sendForm(page: Page, url: string): Promise<void> {
  const answered = page.waitForResponse((response) => response.url() === url);
  await inPage(
    page,
    url,
    String.raw`(to) => new Promise((resolve) => {
    const frame = document.createElement('iframe');
    frame.name = 'answer';
    const form = document.createElement('form');
    Object.assign(form, { method: 'post', action: to, enctype: 'text/plain', target: 'answer' });
    document.body.append(frame, form);
    frame.addEventListener('load', () => resolve(''), { once: true });
    form.submit();
  })`,
  );
  expect([401, 403]).toContain((await answered).status());
}

function openedBy(page: Page, kind: 'WebSocket' | 'EventSource', url: string): Promise<string> {
  return inPage(
    page,
    [kind, url],
    String.raw`([name, to]) => new Promise((resolve) => {
    const opened = name === 'WebSocket' ? new WebSocket(to) : new EventSource(to);
    const end = (how) => {
      opened.close();
      resolve(how);
    };
    opened.addEventListener('open', () => end('open'));
    opened.addEventListener('error', () => end('refused'));
  })`,
  );
}

/** A browser tells a page nothing of a frame that was refused but that it is not of its own origin. */
async function framedBy(page: Page, url: string): Promise<string> {
  await inPage(
    page,
    url,
    String.raw`(to) => new Promise((resolve) => {
    const frame = document.createElement('iframe');
    frame.addEventListener('load', () => resolve(''));
    frame.src = to;
    document.body.append(frame);
  })`,
  );
  const frame = page.frames().find((each) => each !== page.mainFrame());
  const text = await frame!.evaluate('document.title').catch(() => '');
  return /muster/i.test(String(text)) ? 'shown' : 'refused';
}

/** Calls a function of the page: its source, as the types of pages are not those of tests. */
function inPage(page: Page, argument: unknown, source: string): Promise<string> {
  return page.evaluate(`(${source})(${JSON.stringify(argument)})`);
}
