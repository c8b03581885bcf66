// A page of a real browser that starts programs in threads of frames, with the policies of production, and hears
// what they say first.

import type { Browser, Page } from 'playwright-core';
import type { SandboxLimits } from '../../src/worker/sandbox/messages.ts';
import { launchBrowser } from './browser.ts';
import { type CageFiles, serveCageFiles } from './cage-files.ts';

const limits: SandboxLimits = {
  resultLimitBytes: 1,
  outputLimitBytes: 1,
  stateLimitBytes: 1,
  outputMessagesPerSecond: 1,
};
const patienceMs = 60_000;

export class ThreadPage {
  readonly #browser: Browser;
  readonly #files: CageFiles;
  readonly #page: Page;

  private constructor(browser: Browser, files: CageFiles, page: Page) {
    this.#browser = browser;
    this.#files = files;
    this.#page = page;
  }

  static async open(): Promise<ThreadPage> {
    const [browser, files] = await Promise.all([launchBrowser(), serveCageFiles(() => {})]);
    const page = await browser.newPage();
    await page.goto(`${files.url}/empty`);
    return new ThreadPage(browser, files, page);
  }

  /** The program that runs tasks. */
  async production(): Promise<string> {
    return (await fetch(`${this.#files.url}/thread.js`)).text();
  }

  /** The first message of a thread, which was told to begin as the agent tells it. */
  firstWord(code: string): Promise<unknown> {
    return this.#page.evaluate(`new Promise((resolve, reject) => {
      const frame = document.createElement('iframe');
      frame.setAttribute('sandbox', 'allow-scripts');
      const { port1, port2 } = new MessageChannel();
      const end = (settle) => (said) => { frame.remove(); port1.close(); settle(said) };
      const fail = end(reject);
      setTimeout(() => fail(new Error('the thread says nothing')), ${patienceMs});
      addEventListener('message', ({ source, data }) => {
        if (source === frame.contentWindow && data.type === 'frame_fault') fail(new Error(data.why));
      });
      const heard = end(resolve);
      port1.onmessage = ({ data }) => heard(data);
      port1.postMessage(['begin', ${JSON.stringify(limits)}]);
      frame.onload = () => {
        const order = { type: 'start', code: ${JSON.stringify(code)}, port: port2 };
        frame.contentWindow.postMessage(order, '*', [port2]);
      };
      frame.src = '/frame';
      document.body.append(frame);
    })`);
  }

  async close(): Promise<void> {
    await this.#browser.close();
    this.#files.close();
  }
}
