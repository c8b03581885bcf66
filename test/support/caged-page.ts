// Raw code in the places of a browser where tasks run, and for positive controls in the same places of a plain
// page: in a thread, and in the document of a frame.

import type { Frame, Page } from 'playwright-core';
import type { Addresses } from '../fixtures/browser-attempts.ts';

/** What somebody outside of the code has seen of it. */
export type Sign = 'dialog' | 'download' | 'popup' | 'page';

export type Spot = 'thread' | 'document';

export class CagedPage {
  readonly signs: Sign[] = [];
  readonly #page: Page;
  readonly #address: string;
  readonly #frameAddress: string;
  readonly #isPlain: boolean;

  private constructor(page: Page, address: string, frameAddress: string, isPlain: boolean) {
    this.#page = page;
    this.#address = address;
    this.#frameAddress = frameAddress;
    this.#isPlain = isPlain;
    page.on('dialog', (dialog) => {
      this.signs.push('dialog');
      dialog.dismiss().catch(() => {});
    });
    page.on('download', () => this.signs.push('download'));
    page.on('popup', () => this.signs.push('popup'));
  }

  /** `isPlain`: frames are of the origin of the page and may do what it may. */
  static async open(
    page: Page,
    address: string,
    { frame, isPlain = false }: { readonly frame: string; readonly isPlain?: boolean },
  ): Promise<CagedPage> {
    const opened = new CagedPage(page, address, frame, isPlain);
    await page.exposeFunction('heard', () => {
      opened.signs.push('page');
    });
    await page.goto(address);
    await opened.#prepare();
    return opened;
  }

  /** As it was in the beginning; also when code has led it to somewhere else. */
  async renew(): Promise<void> {
    while (!(await this.#hasReturned()));
    this.signs.length = 0;
    await this.#prepare();
  }

  /** False when code that ran here was on its way to somewhere else. */
  async #hasReturned(): Promise<boolean> {
    try {
      await this.#page.goto(this.#address);
      return true;
    } catch (error) {
      if (String(error).includes('interrupted by another navigation')) return false;
      throw error;
    }
  }

  /** What the body resolves to, or `threw: …`. */
  async run(spot: Spot, body: string, at: Addresses): Promise<unknown> {
    try {
      return spot === 'thread' ? await this.#inThread(body, at) : await this.#inDocument(body, at);
    } catch (error) {
      return `threw: ${String(error).slice(0, 300)}`;
    }
  }

  /** Resolves when a person, or the page, would have noticed. */
  async sign(sign: Sign): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setInterval(() => {
      if (this.signs.includes(sign)) resolve();
    }, lookEveryMs);
    await promise;
    clearInterval(timer);
  }

  /** With a frame beside those in which code will run. */
  async #prepare(): Promise<void> {
    await this.#page.bringToFront();
    await this.#page.evaluate(`new BroadcastChannel('walls').onmessage = () => heard()`);
    await this.#openFrame();
  }

  async #inThread(body: string, at: Addresses): Promise<unknown> {
    const code = `onmessage = async ({ data: { port } }) => {
      const run = async (at) => { ${body} };
      let said;
      try { said = await run(${JSON.stringify(at)}) } catch (error) { said = 'threw: ' + error }
      port.postMessage(said);
    }`;
    const order = `{ type: 'start', code: ${JSON.stringify(code)}, port: port2 }`;
    // The thread of a caged frame is started by the frame's own script.
    const start = this.#isPlain
      ? `const { code, port } = ${order}; new Worker(URL.createObjectURL(new Blob([code]))).postMessage({ port }, [port])`
      : `frame.contentWindow.postMessage(${order}, '*', [port2])`;
    return this.#page.evaluate(`(async () => {
      const frame = await (${this.#newFrame});
      const { port1, port2 } = new MessageChannel();
      const said = new Promise((resolve, reject) => {
        port1.onmessage = ({ data }) => resolve(data);
        addEventListener('message', ({ data, source }) => {
          if (source === frame.contentWindow && data.type === 'frame_fault') reject(data.why);
        });
      });
      ${start};
      return said;
    })()`);
  }

  async #inDocument(body: string, at: Addresses): Promise<unknown> {
    const frame = await this.#openFrame();
    return frame.evaluate(`(async (at) => { ${body} })(${JSON.stringify(at)})`);
  }

  async #openFrame(): Promise<Frame> {
    const handle = await this.#page.evaluateHandle(this.#newFrame);
    return (await handle.asElement()!.contentFrame())!;
  }

  /** The text of a promise of a frame that has loaded. */
  get #newFrame(): string {
    const caged = `frame.setAttribute('sandbox', 'allow-scripts'); frame.setAttribute('allow', ''); frame.setAttribute('credentialless', '');`;
    return `new Promise((resolve) => {
      const frame = document.createElement('iframe');
      ${this.#isPlain ? '' : caged}
      frame.onload = () => resolve(frame);
      frame.src = ${JSON.stringify(this.#frameAddress)};
      document.body.append(frame);
    })`;
  }
}

const lookEveryMs = 10;
