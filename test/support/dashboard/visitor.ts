// Somebody before a page of the dashboard: what they see, and what their browser complains of.

import type { Browser, Page } from 'playwright-core';

/** Pages are built at the first start of a checkout; before that there is only a note that they are. */
export async function pagesBuilt(url: string): Promise<void> {
  for (;;) {
    const { status } = await fetch(url);
    if (status === 200) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

/** That a token is asked for is what is to be seen; on a slow machine a font is late. */
const expected = /status of 401|was preloaded using link preload/;

export class Visitor {
  readonly page: Page;
  /** Errors and warnings, and requests to other origins. */
  readonly complaints: string[] = [];
  readonly #url: string;

  private constructor(page: Page, url: string) {
    this.page = page;
    this.#url = url;
    page.on('pageerror', ({ message }) => this.complaints.push(message));
    page.on('console', (message) => {
      const isBad = message.type() === 'error' || message.type() === 'warning';
      if (isBad && !expected.test(message.text())) this.complaints.push(message.text());
    });
    page.on('request', (request) => {
      const { origin, protocol } = new URL(request.url());
      const isWithin = protocol === 'data:' || protocol === 'blob:';
      if (!isWithin && origin !== url) this.complaints.push(`asks ${request.url()}`);
    });
  }

  static async come(browser: Browser, url: string, path: string): Promise<Visitor> {
    const context = await browser.newContext({ viewport: { width: 1440, height: 1000 } });
    const visitor = new Visitor(await context.newPage(), url);
    await visitor.go(path);
    return visitor;
  }

  async go(path: string): Promise<void> {
    await this.page.goto(`${this.#url}${path}`);
  }

  /** By the form that stands in place of the page. */
  async logIn(token: string): Promise<void> {
    await this.page.locator('.log-in input').fill(token);
    await this.page.getByRole('button', { name: 'Log in' }).click();
  }

  /** What the first heading says. */
  async sentence(): Promise<string> {
    return (await this.page.locator('main h1.lede').textContent()) ?? '';
  }

  /** Throws when the browser has complained of anything. */
  async leaveContent(): Promise<void> {
    await this.leave();
    if (this.complaints.length > 0) throw new Error(this.complaints.join('\n'));
  }

  async leave(): Promise<void> {
    await this.page.context().close();
  }
}
