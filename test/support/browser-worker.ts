// A worker in a real browser: the page of the coordinator, in a context of its own, begun as a person begins it.

import type { Browser, BrowserContext, Page } from 'playwright-core';

export interface BrowserWorkerOptions {
  /** Tasks at a time. */
  readonly slots?: number;
  /** Told when the page is told to load. */
  readonly onOpening?: () => void;
}

export class BrowserWorker {
  readonly page: Page;
  readonly #context: BrowserContext;

  private constructor(context: BrowserContext, page: Page) {
    this.#context = context;
    this.page = page;
  }

  /** `address`: of the coordinator, or a link of it. Done when it has begun, which is before it is connected. */
  static async open(
    browser: Browser,
    address: string,
    { slots = 1, onOpening }: BrowserWorkerOptions = {},
  ): Promise<BrowserWorker> {
    // Nothing that another one has kept is there.
    const context = await browser.newContext();
    // One core is left to the person.
    await context.addInitScript((cores) => {
      Object.defineProperty(navigator, 'hardwareConcurrency', { get: () => cores });
    }, slots + 1);
    const page = await context.newPage();
    onOpening?.();
    await page.goto(new URL('/worker', address).href + new URL(address).hash);
    const worker = new BrowserWorker(context, page);
    await worker.press('Start helping');
    return worker;
  }

  /** A button that has just come is not pressed: it would not be taken for meant. */
  async press(name: string): Promise<void> {
    const button = this.page.getByRole('button', { name, exact: true });
    await button.and(this.page.locator(':not([data-fresh])')).click();
  }

  /** As a tab that the system ends: nothing is said, neither by the page nor by its agent. */
  async kill(): Promise<void> {
    const session = await this.#context.newCDPSession(this.page);
    const crashed = this.page.waitForEvent('crash');
    // It is gone before it could answer.
    session.send('Page.crash').catch(() => {});
    await crashed;
  }

  /** As a person closes a tab. */
  async close(): Promise<void> {
    await this.page.close({ runBeforeUnload: false });
    await this.#context.close();
  }
}
