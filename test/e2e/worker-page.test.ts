// What a person sees of a browser worker, in a real Chromium; the agent behind it is played.

import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { type Browser, type BrowserContext, devices } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { AxeResults } from 'axe-core';
import { launchBrowser } from '../support/browser.ts';
import {
  joinToken,
  known,
  rules,
  scenes,
  state,
  type Scene,
} from '../support/worker-page/scenes.ts';
import { servePage, type ServedPage } from '../support/worker-page/served-page.ts';
import { Stage } from '../support/worker-page/stage.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const LINK = `#t=${joinToken}.k=${'A'.repeat(43)}`;
const PHONE = { width: 390, height: 844 };
const DESKTOP = { width: 1_280, height: 800 };
const SIZES = [PHONE, { width: 360, height: 640 }, { width: 740, height: 360 }, DESKTOP];

let served: ServedPage;
let browser: Browser;
let context: BrowserContext;
let stage: Stage;
const complaints: string[] = [];
const elsewhere: string[] = [];

beforeAll(async () => {
  [served, browser] = await Promise.all([servePage(), launchBrowser()]);
  const { userAgent } = devices['Pixel 7'];
  context = await browser.newContext({ viewport: PHONE, userAgent });
  const page = await context.newPage();
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (line) => {
    if (line.type() === 'error' || line.type() === 'warning') complaints.push(line.text());
  });
  page.on('request', (request) => {
    const { protocol, origin } = new URL(request.url());
    if (protocol.startsWith('http') && origin !== new URL(served.url).origin)
      elsewhere.push(origin);
  });
  stage = await Stage.open(page, served.url);
});

beforeEach(async () => {
  complaints.length = 0;
  await stage.enter(LINK);
});

afterAll(async () => {
  await browser.close();
  served.close();
});

const isBefore = ({ says }: Scene) => says.type === 'known';

/** All scenes in one page, as they may follow each other: it is asked, it helps, it has ended. */
async function each(look: (name: string, scene: Scene) => Promise<void>): Promise<void> {
  await stage.enter(LINK);
  let isAsked = true;
  for (const [name, scene] of Object.entries(scenes)) {
    if (isAsked && !isBefore(scene)) {
      await stage.begin();
      isAsked = false;
    }
    await stage.play(scene);
    await look(name, scene);
  }
}

/** Visible buttons of the place at the thumb. */
async function buttons(): Promise<readonly (string | null)[]> {
  const { page } = stage;
  const main = page.locator('main > .deeds > .main:visible');
  const soft = await page.locator('main > .deeds .soft:visible').allTextContents();
  return [(await main.count()) === 0 ? null : await main.textContent(), ...soft];
}

describe('every state', () => {
  test('says its sentence, and has its buttons', async () => {
    const host = new URL(served.url).host;
    await each(async (name, scene) => {
      const found = {
        headline: await stage.page.locator('h1').textContent(),
        buttons: await buttons(),
      };
      const headline = scene.headline.replace('HOST', host);
      expect(found, name).toEqual({ headline, buttons: scene.buttons });
    });
    expect(complaints).toEqual([]);
    expect(elsewhere).toEqual([]);
  });

  test('has its main button in sight, at one place, and nothing wider than the screen, also with large text', async () => {
    for (const size of SIZES) {
      const places = new Set<number>();
      await stage.page.setViewportSize(size);
      await each(async (name, { says, buttons: [main] }) => {
        const found = await stage.page.evaluate(measured);
        const where = `${name} ${size.width}`;
        expect(found.overflow, where).toBeLessThanOrEqual(0);
        expect(found.overflowOfLarge, where).toBeLessThanOrEqual(0);
        if (main === null) return;
        expect(found.bottom, where).toBeLessThanOrEqual(size.height);
        expect(found.height, where).toBeGreaterThanOrEqual(60);
        if (says.type === 'state') places.add(Math.round(found.top));
      });
      expect(places.size).toBe(1);
    }
    await stage.page.setViewportSize(PHONE);
  });

  test('keeps nobody out, in both themes, on a phone and on a desk', async () => {
    const faults: string[] = [];
    // What depends on the size does not depend on the theme.
    for (const [viewport, colorScheme] of [
      [PHONE, 'light'],
      [DESKTOP, 'dark'],
    ] as const) {
      await stage.page.setViewportSize(viewport);
      await stage.page.emulateMedia({ colorScheme });
      await each(async (name) => {
        faults.push(...(await axeFaults(`${name} ${viewport.width} ${colorScheme}`)));
      });
    }
    expect(faults).toEqual([]);
    await stage.page.setViewportSize(PHONE);
  });
});

/** In the page: where the main button is, and how far the page is too wide, with text as it is and doubled. */
function measured() {
  const { documentElement } = document;
  const { top, bottom, height } = document
    .querySelector('main > .deeds > .main')!
    .getBoundingClientRect();
  const overflow = documentElement.scrollWidth - innerWidth;
  documentElement.style.fontSize = '200%';
  const overflowOfLarge = documentElement.scrollWidth - innerWidth;
  documentElement.style.fontSize = '';
  return { top, bottom, height, overflow, overflowOfLarge };
}

declare const axe: { run(context: unknown, options: unknown): Promise<AxeResults> };

async function axeFaults(where: string): Promise<readonly string[]> {
  if (!(await stage.page.evaluate(() => 'axe' in globalThis))) await stage.page.evaluate(AXE);
  const { violations } = await stage.page.evaluate(() =>
    axe.run(document, {
      resultTypes: ['violations'],
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
    }),
  );
  return violations.map(
    ({ id, nodes }) =>
      `${where}: ${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`,
  );
}

describe('the address', () => {
  test('has lost its secret before the agent is asked, and the agent has the token alone', async () => {
    expect(await stage.heard('open')).toMatchObject({
      token: joinToken,
      about: { isHandheld: true, platform: 'android', browserName: 'Chrome', isReload: false },
    });
    expect(stage.page.url()).toBe(served.url);
  });

  test('may be loaded again before it begins, and knows its link still', async () => {
    await stage.page.reload();
    expect((await stage.heard('open')).token).toBe(joinToken);
  });

  test('that was cut on its way is told to be cut', async () => {
    await stage.enter(`#t=${joinToken.slice(0, -3)}`);
    expect((await stage.heard('open')).token).toBeNull();
    await stage.say(known({ link: null }));
    await stage.shows('damaged-link');
    expect(await stage.page.locator('h1').textContent()).toBe('This link is not whole');
  });
});

describe('the buttons', () => {
  test('begin, pause, go on and leave', async () => {
    await stage.begin();
    expect((await stage.heard('begin')).rules).toEqual(rules);
    await stage.play(scenes['working']!);
    await stage.press('Pause');
    await stage.heard('pause');
    await stage.play(scenes['paused']!);
    await stage.press('Go on');
    await stage.heard('go_on');
    await stage.play(scenes['resting-charging']!);
    await stage.press('Help on battery for an hour');
    expect((await stage.heard('ignore_battery')).forMs).toBe(3_600_000);
    await stage.press('Stop and leave');
    await stage.heard('leave');
    await stage.play(scenes['leaving']!);
    await stage.play(scenes['finished']!);
  });

  test('tell the agent of the device before it begins', async () => {
    await stage.begin();
    expect((await stage.heard('signs')).signs).toMatchObject({
      batteryPercent: 91,
      isCharging: true,
      isMetered: false,
      isVisible: true,
    });
    const heard = await stage.allHeard();
    expect(heard[0]).toBe('open');
    expect(heard.indexOf('signs')).toBeLessThan(heard.indexOf('begin'));
  });

  test('ignore a press that was meant for the button before', async () => {
    await stage.begin();
    await stage.play(scenes['working']!);
    await stage.page.locator('.deeds > .main:not([data-fresh])').waitFor();
    // In one turn: the button changes under the finger.
    await stage.page.evaluate((message) => {
      const main = document.querySelector('.deeds > .main')!;
      new MutationObserver(() => main.click()).observe(main, {
        childList: true,
        characterData: true,
        subtree: true,
      });
      (globalThis as unknown as { say: (each: unknown) => void }).say(message);
    }, scenes['paused']!.says);
    await stage.shows('paused');
    await stage.press('Stop and leave');
    await stage.heard('leave');
    expect(await stage.allHeard()).not.toContain('go_on');
  });

  test('help again by a new agent, without asking twice', async () => {
    await stage.begin();
    await stage.play(scenes['finished']!);
    await stage.forgetHeard();
    await stage.press('Help again');
    await stage.heard('open');
    await stage.say(known({ isMember: true }));
    expect((await stage.heard('begin')).rules).toEqual(rules);
  });

  test('not now: nothing begins, and the tab forgets the link', async () => {
    await stage.say(known());
    await stage.press('Not now');
    await stage.shows('declined');
    expect(await stage.allHeard()).not.toContain('begin');
    await stage.page.reload();
    expect((await stage.heard('open')).token).toBeNull();
  });

  test('forget the device only after a question, and hand over first', async () => {
    await stage.begin();
    await stage.play(scenes['working']!);
    const { page } = stage;
    const openQuestion = async () => {
      await page.getByRole('button', { name: 'Settings' }).click();
      await page.getByRole('button', { name: 'Forget this device…' }).click();
    };
    await openQuestion();
    await page.getByRole('button', { name: 'Keep it' }).click();
    await page.locator('dialog').waitFor({ state: 'detached' });
    await openQuestion();
    await page.getByRole('button', { name: 'Forget this device', exact: true }).click();
    await stage.heard('leave');
    expect(await stage.allHeard()).not.toContain('forget');
    await stage.say(scenes['finished']!.says);
    await stage.heard('forget');
    await stage.say(known({ link: null }));
    await stage.shows('forgotten');
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
  });
});

describe('the rules', () => {
  test('are asked before it begins, and go along', async () => {
    await stage.say(known());
    await stage.page.getByRole('switch', { name: 'Only while charging' }).click();
    await stage.press('Start helping');
    expect((await stage.heard('begin')).rules).toEqual({ ...rules, onlyCharging: false });
  });

  test('are set while it helps, each at once', async () => {
    await stage.begin();
    await stage.play(scenes['working']!);
    const { page } = stage;
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByLabel('Battery, unplugged').selectOption({ label: 'From 40\u202f%' });
    await page.getByRole('switch', { name: 'Only at certain hours' }).click();
    await page.getByLabel('from', { exact: true }).fill('21:30');
    await page.getByLabel('Tasks at a time').selectOption('3');
    await page.getByLabel('Name in the list').fill('Kitchen phone');
    await page.getByRole('button', { name: 'Done' }).click();
    await page.locator('dialog').waitFor({ state: 'detached' });
    expect((await stage.heard('rules')).rules).toEqual({
      ...rules,
      minBatteryPercent: 40,
      hours: { fromMinute: 1_290, toMinute: 420 },
      slots: 3,
      name: 'Kitchen phone',
    });
  });

  test('that this browser cannot keep are told where they are set', async () => {
    await stage.begin();
    await stage.play(scenes['degraded']!);
    await stage.page.getByRole('button', { name: 'Settings' }).click();
    const sheet = stage.page.getByRole('dialog');
    expect(await sheet.textContent()).toContain(
      'This browser does not tell the battery: this cannot be kept here.',
    );
    expect(await sheet.getByRole('switch', { name: 'Only while charging' }).isChecked()).toBe(true);
    expect(await axeFaults('settings')).toEqual([]);
  });
});

describe('a reload', () => {
  test('goes on by itself, and stays paused where it was paused by hand', async () => {
    await stage.begin();
    await stage.play(scenes['working']!);
    await stage.press('Pause');
    await stage.heard('pause');
    await stage.page.reload();
    expect((await stage.heard('open')).about.isReload).toBe(true);
    await stage.say(known({ isMember: true, link: null }));
    await stage.heard('pause');
    const heard = await stage.allHeard();
    expect(heard.filter((type) => type !== 'signs')).toEqual(['open', 'begin', 'pause']);
  });

  test('without a network shows the page that was kept for that', async () => {
    await stage.begin();
    await stage.page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
    await context.setOffline(true);
    await stage.page.reload();
    expect(await stage.page.locator('h1').textContent()).toBe('No connection');
    await context.setOffline(false);
    await stage.page.getByRole('link', { name: 'Try again' }).click();
    await stage.heard('open');
  });
});

describe('the page', () => {
  test('says so when its agent falls over, and can begin anew', async () => {
    await stage.begin();
    await stage.play(scenes['working']!);
    await stage.crash();
    await stage.shows('fault');
    expect(await stage.page.locator('.note').textContent()).toContain('It fell over.');
    await stage.press('Try again');
    expect((await stage.heard('open')).about.isReload).toBe(true);
  });

  test('does not flicker between two tasks that follow each other', async () => {
    await stage.begin();
    await stage.play(scenes['working']!);
    await stage.say(scenes['idle']!.says);
    const headline = stage.page.locator('h1', { hasText: /^Working$/ });
    await headline.waitFor();
    expect(await stage.page.locator('.say').textContent()).toBe('The next task is on its way.');
    await stage.shows('idle');
  });

  test('dims to the ring when nobody touches it, and the first touch presses nothing', async () => {
    const { page } = stage;
    await page.clock.install();
    await stage.enter(LINK);
    await stage.say(known());
    await stage.shows('consent');
    await page.clock.runFor(1_000);
    await stage.press('Start helping');
    await stage.play(scenes['working']!);
    await page.clock.runFor(31_000);
    await page.locator('html[data-dim]').waitFor({ state: 'attached' });
    expect(await page.locator('h1').isVisible()).toBe(false);
    expect(await page.locator('.ring').isVisible()).toBe(true);
    const { x, y } = await page.evaluate(() => {
      const box = document.querySelector('.deeds > .main')!.getBoundingClientRect();
      return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    });
    await page.touchscreen.tap(x, y).catch(() => page.mouse.click(x, y));
    await page.locator('html:not([data-dim])').waitFor({ state: 'attached' });
    expect(await stage.allHeard()).not.toContain('pause');
    await page.clock.runFor(1_000);
    await stage.press('Pause');
    await stage.heard('pause');
  });

  test('tells the agent when it is closed', async () => {
    await stage.begin();
    await stage.page.evaluate(() => dispatchEvent(new PageTransitionEvent('pagehide')));
    await stage.heard('closing');
    await stage.page.evaluate(() =>
      dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })),
    );
    await stage.heard('not_closed');
    const heard = (await stage.allHeard()).filter((type) => type !== 'signs');
    expect(heard.slice(-2)).toEqual(['closing', 'not_closed']);
  });

  test('writes names of strangers as text', async () => {
    await stage.begin();
    const coordinatorName = '<img src=x onerror="document.title=1">';
    await stage.say(state({ coordinatorName }));
    await stage.shows('working');
    expect(await stage.page.locator('.who').textContent()).toBe(`Helping ${coordinatorName}`);
  });

  test('is small', () => {
    const zipped = (path: string) => gzipSync(served.body(path), { level: 9 }).length;
    expect(zipped('/worker/page.js')).toBeLessThanOrEqual(14_230);
    expect(zipped('/worker/page.css')).toBeLessThanOrEqual(5_000);
  });
});

// In the page: what the functions above refer to.
declare const innerWidth: number;
declare const sessionStorage: { readonly length: number };
declare const navigator: { readonly serviceWorker: { readonly ready: Promise<unknown> } };
declare function dispatchEvent(event: unknown): boolean;
declare const PageTransitionEvent: new (type: string, init?: { persisted: boolean }) => unknown;
declare const MutationObserver: new (
  run: () => void,
) => {
  observe(target: unknown, options: unknown): void;
};
interface Box {
  readonly x: number;
  readonly y: number;
  readonly top: number;
  readonly bottom: number;
  readonly width: number;
  readonly height: number;
}
interface FoundElement {
  getBoundingClientRect(): Box;
  click(): void;
}
declare const document: {
  readonly documentElement: { readonly scrollWidth: number; readonly style: { fontSize: string } };
  querySelector(selector: string): FoundElement | null;
};
