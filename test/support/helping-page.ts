// A page of a browser worker as a person has it before them: what it says, its buttons, and a device behind it whose
// battery, network and visibility a test decides.

import type { BrowserContext, Page, Worker } from 'playwright-core';

/** What of a device a page can see; what is not named is as the browser has it. */
export interface DeviceSigns {
  readonly isCharging?: boolean;
  /** From 0 to 1. */
  readonly level?: number;
  readonly network?: 'wifi' | 'cellular';
  readonly isVisible?: boolean;
}

/** Runs in every page before its own programs. */
const pretending = (signs: DeviceSigns) => `{
  const signs = ${JSON.stringify({ isCharging: true, level: 1, network: 'wifi', isVisible: true, ...signs })};
  const battery = new EventTarget();
  Object.defineProperties(battery, {
    charging: { get: () => signs.isCharging },
    level: { get: () => signs.level },
  });
  const connection = new EventTarget();
  Object.defineProperties(connection, {
    type: { get: () => signs.network },
    saveData: { value: false },
  });
  if (isSecureContext) navigator.getBattery = async () => battery;
  Object.defineProperty(navigator, 'connection', { value: connection });
  Object.defineProperty(document, 'visibilityState', {
    get: () => (signs.isVisible ? 'visible' : 'hidden'),
  });
  globalThis.pretend = (changed) => {
    Object.assign(signs, changed);
    for (const type of ['chargingchange', 'levelchange']) battery.dispatchEvent(new Event(type));
    connection.dispatchEvent(new Event('change'));
    document.dispatchEvent(new Event('visibilitychange'));
  };
  globalThis.titles = [];
  new MutationObserver(() => {
    if (titles.at(-1) !== document.title) titles.push(document.title);
  }).observe(document, { subtree: true, childList: true, characterData: true });
}`;

/** In the agent. */
const namesOfKept = `new Promise((resolve) => {
  indexedDB.open('muster-worker').onsuccess = ({ target: { result: database } }) => {
    const asked = database.transaction('kept').objectStore('kept').getAllKeys();
    asked.onsuccess = () => {
      database.close();
      resolve(asked.result);
    };
  };
})`;

// In the page.
declare const pretend: (signs: DeviceSigns) => void;
declare const titles: readonly string[];
declare const document: { readonly documentElement: { readonly dataset: Record<string, string> } };

export class HelpingPage {
  readonly page: Page;

  private constructor(page: Page) {
    this.page = page;
  }

  static async open(
    context: BrowserContext,
    address: string,
    signs: DeviceSigns = {},
  ): Promise<HelpingPage> {
    const page = await context.newPage();
    await page.addInitScript(pretending(signs));
    await page.goto(address);
    return new HelpingPage(page);
  }

  /** From a link to the first moment at which it is connected and has nothing to do. */
  static async join(
    context: BrowserContext,
    address: string,
    signs: DeviceSigns = {},
  ): Promise<HelpingPage> {
    const helping = await HelpingPage.open(context, address, signs);
    await helping.press('Start helping');
    await helping.shows('idle');
    return helping;
  }

  /** One of these views, by the names that are in the document for those who look at it from outside. */
  async shows(...views: readonly string[]): Promise<void> {
    const any = views.map((view) => `html[data-view="${view}"]`).join();
    await this.page.locator(any).waitFor({ state: 'attached' });
  }

  view(): Promise<string> {
    return this.page.evaluate(() => document.documentElement.dataset['view'] ?? '');
  }

  async says(text: string | RegExp): Promise<void> {
    await this.page.locator('main').getByText(text).first().waitFor();
  }

  /** A button that has just come is not pressed: it would not be taken for meant. */
  async press(name: string): Promise<void> {
    const button = this.page.getByRole('button', { name, exact: true });
    await button.and(this.page.locator(':not([data-fresh])')).click();
  }

  /** From here on the device is like that, and the page is told. */
  async pretend(signs: DeviceSigns): Promise<void> {
    await this.page.evaluate((changed) => pretend(changed), signs);
  }

  /** All titles that there were since it was loaded. */
  titles(): Promise<readonly string[]> {
    return this.page.evaluate(() => titles);
  }

  /** The number in the ring. */
  ring(): Promise<string | null> {
    return this.page.locator('.ring .figure').textContent();
  }

  /** A fact of the list at the foot, as `Tasks`. */
  async fact(label: string): Promise<string | null> {
    const fact = this.page.locator('.facts > div').filter({ hasText: label });
    return (await fact.count()) === 0 ? null : fact.first().locator('dd').textContent();
  }

  async settings(change: (sheet: Page) => Promise<void>): Promise<void> {
    await this.press('Settings');
    await change(this.page);
    await this.page.keyboard.press('Escape');
  }

  get agent(): Worker {
    return this.page.workers().find((each) => each.url().endsWith('/worker/agent.js'))!;
  }

  /** Names of what is kept on the device. */
  keptNames(): Promise<readonly string[]> {
    return this.agent.evaluate(namesOfKept);
  }

  /** Ends as a page does whose process is killed: nobody is told. */
  async crash(): Promise<void> {
    const session = await this.page.context().newCDPSession(this.page);
    const crashed = this.page.waitForEvent('crash');
    void session.send('Page.crash').catch(() => {});
    await crashed;
    await this.page.close();
  }

  /** As a person closes a tab. */
  async close(): Promise<void> {
    await this.page.close();
  }
}
