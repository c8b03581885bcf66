// A page of the dashboard in a real browser, and what the browser knows of its work.

import type { Browser, BrowserContext, CDPSession, Page } from 'playwright-core';
import { beginRecording, record, type Recorded, recorded } from './in-page.ts';

/** Since the process of the page began; seconds and numbers. */
export interface PageMetrics {
  readonly TaskDuration: number;
  readonly ScriptDuration: number;
  readonly LayoutDuration: number;
  readonly RecalcStyleDuration: number;
  readonly JSHeapUsedSize: number;
  readonly Nodes: number;
  readonly JSEventListeners: number;
}

export interface ProbeOptions {
  /** So many times slower than the machine is. */
  readonly slowness?: number;
  /** Selectors: when all are there, that is noted. */
  readonly awaited?: readonly string[];
}

export class PageProbe {
  readonly page: Page;
  /** Bytes that came over the network, as they were sent, since they are counted. */
  receivedBytes = 0;
  readonly #url: string;
  readonly #context: BrowserContext;
  readonly #session: CDPSession;

  /** In a context of its own, so with nothing in its cache. */
  static async open(
    browser: Browser,
    url: string,
    { slowness = 1, awaited = [] }: ProbeOptions = {},
  ): Promise<PageProbe> {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    const probe = new PageProbe(page, url, context, session);
    await session.send('Performance.enable', { timeDomain: 'threadTicks' });
    // The process of the page is the same from here on.
    await page.goto(`${url}/healthz`);
    await page.addInitScript(record, awaited);
    await session.send('Emulation.setCPUThrottlingRate', { rate: slowness });
    return probe;
  }

  private constructor(page: Page, url: string, context: BrowserContext, session: CDPSession) {
    this.page = page;
    this.#url = url;
    this.#context = context;
    this.#session = session;
  }

  /** The browser remembers each request for it, in the memory of the page: not where that is measured. */
  async countBytes(): Promise<void> {
    this.#session.on('Network.dataReceived', ({ dataLength, encodedDataLength }) => {
      this.receivedBytes += encodedDataLength || dataLength;
    });
    await this.#session.send('Network.enable');
  }

  async go(path: string): Promise<void> {
    await this.page.goto(`${this.#url}${path}`, { waitUntil: 'commit' });
  }

  /** As by a link, without loading the document anew. */
  async follow(path: string): Promise<void> {
    const href = JSON.stringify(path);
    await this.page.evaluate(`{
      const link = document.createElement('a');
      link.href = ${href};
      document.body.append(link);
      link.click();
      link.remove();
    }`);
  }

  begin(): Promise<void> {
    return this.page.evaluate(beginRecording);
  }

  recorded(): Promise<Recorded> {
    return this.page.evaluate(recorded);
  }

  async metrics(): Promise<PageMetrics> {
    const { metrics } = await this.#session.send('Performance.getMetrics');
    return Object.fromEntries(
      metrics.map(({ name, value }) => [name, value]),
    ) as unknown as PageMetrics;
  }

  /** What is left once everything that nobody holds is gone. */
  async metricsAfterCollection(): Promise<PageMetrics> {
    await this.#session.send('HeapProfiler.collectGarbage');
    return this.metrics();
  }

  async close(): Promise<void> {
    await this.#context.close();
  }
}
