// Frames of a real browser as the place for the shared cases of sandboxes.

import type { Page } from 'playwright-core';
import type { Escape } from '../fixtures/sandbox-escapes.ts';
import { CagePage } from './cage-harness.ts';
import { type PlainPages, servePlainPages } from './plain-pages.ts';
import type { PlaceOptions, SandboxPlace } from './sandbox-place.ts';
import type { TaskHarness } from './task-harness.ts';

export class BrowserPlace implements SandboxPlace {
  readonly name = 'frames of a browser';
  readonly tellsLines = false;
  #cage: CagePage | null = null;
  #pages: PlainPages | null = null;
  #plain: Page | null = null;

  async begin(): Promise<void> {
    [this.#cage, this.#pages] = await Promise.all([CagePage.open(), servePlainPages()]);
    this.#plain = await this.#cage.browser.newPage();
    await this.#plain.goto(this.#pages.url);
  }

  async end(): Promise<void> {
    await this.#cage?.close();
    this.#pages?.close();
  }

  async open(options: PlaceOptions = {}): Promise<TaskHarness> {
    return this.#cage!.harness(options);
  }

  /** What stands for the host is its global `navigator`, and a module that any thread may import. */
  bodyOf({ body }: Escape): string {
    const here = body.replaceAll('node:process', 'data:text/javascript,1');
    return here.replaceAll(/\bprocess\b/g, 'navigator');
  }

  isOpen({
    isOpen,
    isOpenInBrowser = isOpen,
  }: Pick<Escape, 'isOpen' | 'isOpenInBrowser'>): boolean {
    return isOpenInBrowser;
  }

  /** In a thread of a plain page. */
  outside(functionText: string): Promise<unknown> {
    const code = `onmessage = async ({ ports: [port] }) => {
      const post = port.postMessage.bind(port);
      try { post(await (${functionText})()) } catch { post('threw') }
    }`;
    return this.#plain!.evaluate(`new Promise((resolve) => {
      const thread = new Worker(URL.createObjectURL(new Blob([${JSON.stringify(code)}])));
      const { port1, port2 } = new MessageChannel();
      const end = (said) => { thread.terminate(); resolve(said) };
      port1.onmessage = ({ data }) => end(data);
      thread.onerror = (event) => { event.preventDefault(); end('threw') };
      thread.postMessage(null, [port2]);
    })`);
  }

  inFreshRealm(functionText: string): Promise<unknown> {
    return this.outside(functionText);
  }
}
