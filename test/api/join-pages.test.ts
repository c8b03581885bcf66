// The page of a link, and the part of the coordinator's page that makes one, in a real browser.

import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchBrowser } from '../support/browser.ts';
import { type LiveServer, startLiveServer } from './support/live-server.ts';

let live: LiveServer;
let browser: Browser;
let admin: string;
beforeAll(async () => {
  live = await startLiveServer({}, undefined, {}, { coordinatorName: "Ann's lab" });
  const { body } = await live.call('POST', '/api/tokens', { json: { kind: 'admin' } });
  admin = body.token;
  browser = await launchBrowser();
}, 60_000);
afterAll(async () => {
  await browser.close();
  await live.close();
});

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const link = async (json: object = {}) =>
  (await live.call('POST', '/api/join-links', { json, headers: bearer(admin) })).body;

interface Visit {
  readonly page: Page;
  readonly complaints: string[];
}

async function visit(address: string, options: object = {}): Promise<Visit> {
  const page = await browser.newPage({ viewport: { width: 1200, height: 900 }, ...options });
  const complaints: string[] = [];
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.goto(address);
  return { page, complaints };
}

const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';

test.for(['light', 'dark'] as const)(
  'the page of a link tells what it is for: %s',
  async (colorScheme) => {
    const made = await link({ label: 'second laptop', worker_labels: { room: 'lab' } });
    const { page, complaints } = await visit(made.link, { colorScheme });
    await page.getByText('lets one device work for').waitFor();
    await page.getByText('It is for: second laptop').waitFor();
    await page.getByText('room=lab').waitFor();
    expect(await page.locator('code').innerText()).toBe(`muster worker '${made.link}'`);
    expect(page.url()).toBe(`${live.url}/join`);
    expect(complaints).toEqual([]);
    for (const width of [1200, 390]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await page.evaluate(overflow)).toBe(0);
    }
    await page.close();
  },
);

const phone = {
  userAgent:
    'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/153.0.0.0 Mobile Safari/537.36',
  viewport: { width: 390, height: 800 },
};
const tablet = {
  userAgent:
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 Safari/605.1.15',
  hasTouch: true,
};

test.each([
  ['a phone', phone],
  ['a tablet that says it is a Mac', tablet],
])(
  'the page of a link leads %s on to the page that works, with the link',
  async (_what, device) => {
    const made = await link();
    const { page } = await visit(made.link, device);
    const expected = `${live.url}/worker${new URL(made.link).hash}`;
    await page.waitForURL(expected);
    expect(page.url()).toBe(expected);
    await page.close();
  },
);

test('the page of a link offers a PC to help with its browser, and says who asks', async () => {
  const made = await link();
  const { page } = await visit(made.link);
  const button = page.getByRole('button', { name: 'Help with this browser' });
  await button.waitFor();
  expect(await page.locator('#told').innerText()).toContain("work for Ann's lab, at 127.0.0.1");
  await button.click();
  await page.waitForURL(`${live.url}/worker${new URL(made.link).hash}`);
  await page.close();
});

test('the page of a link that has ended, or is none, says so', async () => {
  const made = await link();
  await live.call('DELETE', `/api/tokens/${made.id}`, { headers: bearer(admin) });
  const { page } = await visit(made.link);
  await page.getByText('This link has ended. Ask for a new one.').waitFor();
  await page.close();
  const none = await visit(`${live.url}/join`);
  const [sentence] = await none.page.locator('#told').allInnerTexts();
  expect(sentence).toContain('There is no link here.');
  await none.page.close();
});

test.each([
  ['a command behind it', (text: string) => `${text}';id;'`],
  ['a command in its pin', (text: string) => text.replace(/([.&]k=.*)?$/, ".k='$(id)'")],
  ['a command before its #', (text: string) => text.replace('#', "?';id;'#")],
  ['a second part', (text: string) => `${text}&x=1`],
])('the page of a link with %s shows no command to copy', async (_what, changed) => {
  const made = await link();
  const { page } = await visit(changed(made.link));
  await page.getByText('The link was cut or changed on its way').waitFor();
  expect(await page.locator('code').count()).toBe(0);
  await page.close();
});

test.each(['.', '&'])('the page of a link with a pin behind %s shows it whole', async (sign) => {
  const made = await link();
  const whole = `${made.link}${sign}k=${'A'.repeat(43)}`;
  const { page } = await visit(whole);
  await page.locator('code').first().waitFor();
  const [command] = await page.locator('code').allInnerTexts();
  expect(command).toBe(`muster worker '${whole}'`);
  await page.close();
});

test.each([
  ['%23', '='],
  ['%23', '%3D'],
])('a link whose # has become %s and whose = is %s is mended', async (hash, equals) => {
  const made = await link();
  const { page } = await visit(made.link.replace('#', hash).replaceAll('=', equals));
  await page.getByText('lets one device work for').waitFor();
  expect(await page.locator('code').innerText()).toBe(`muster worker '${made.link}'`);
  await page.close();
});

test('what is no link behind such a # leads nowhere', async () => {
  for (const text of ['', 'https://elsewhere.example', '%0d%0aset-cookie:a', '<b>']) {
    const response = await fetch(`${live.url}/join%23${text}`, { redirect: 'manual' });
    expect([response.status, response.headers.get('location')]).toEqual([404, null]);
  }
});

test('a link that is opened where the page is open already is taken, and hidden, too', async () => {
  const { page } = await visit(`${live.url}/join`);
  await page.getByText('There is no link here.').waitFor();
  const made = await link();
  await page.goto(made.link);
  await page.getByText('lets one device work for').waitFor();
  expect(page.url()).toBe(`${live.url}/join`);
  await page.close();
});
