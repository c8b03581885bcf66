// A page of a browser on which scenes are played: the test says what the agent says, and reads what it hears.

import type { Page } from 'playwright-core';
import type { FromAgent, ToAgent } from '../../../src/worker/browser/page-messages.ts';
import { known, type Scene } from './scenes.ts';
import { stageName, type StageMessage } from './stage-messages.ts';

interface StageWindow {
  isPoor: boolean;
  heard: ToAgent[];
  say: (message: FromAgent) => void;
  /** Called as the page hears its agent. */
  onSaid: () => void;
  crash: () => void;
}

declare const Worker: new (...args: readonly unknown[]) => EventTarget;

export class Stage {
  readonly page: Page;
  readonly #url: string;

  private constructor(page: Page, url: string) {
    this.page = page;
    this.#url = url;
  }

  static async open(page: Page, url: string): Promise<Stage> {
    await page.addInitScript((name) => {
      const stage = new BroadcastChannel(name);
      const heard: ToAgent[] = [];
      // A page begins with `open`: what comes from an agent that this page has not seen begin was said to another.
      const agents = new Set<string>();
      stage.addEventListener('message', (event) => {
        const data = (event as { readonly data: StageMessage }).data;
        if (data.kind !== 'heard') return;
        if (data.message.type === 'open') agents.add(data.agent);
        if (agents.has(data.agent)) heard.push(data.message);
      });
      const send = (message: StageMessage) => {
        // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel, not a window
        stage.postMessage(message);
      };
      const crash = () => send({ kind: 'crash' });
      const say = (message: FromAgent) => send({ kind: 'say', message });
      class HeardWorker extends Worker {
        constructor(...args: readonly unknown[]) {
          super(...args);
          this.addEventListener('message', () => {
            (globalThis as unknown as StageWindow).onSaid();
          });
        }
      }
      const inPage = { heard, say, crash, onSaid: () => {}, isPoor: false, Worker: HeardWorker };
      Object.assign(globalThis, inPage);
      // A phone on a charger and on Wi-Fi, whatever runs the test; a poor browser tells nothing of it.
      const unlessPoor = (part: string, value: unknown) =>
        Object.defineProperty(navigator, part, {
          get: () => ((globalThis as unknown as StageWindow).isPoor ? undefined : value),
        });
      const battery = Object.assign(new EventTarget(), { level: 0.91, charging: true });
      unlessPoor('getBattery', () => Promise.resolve(battery));
      unlessPoor('connection', Object.assign(new EventTarget(), { type: 'wifi' }));
      const lock = () => Object.assign(new EventTarget(), { release: () => Promise.resolve() });
      unlessPoor('wakeLock', { request: () => Promise.resolve(lock()) });
    }, stageName);
    return new Stage(page, url);
  }

  /** From the front, by a link or without one; done when the agent has been asked. */
  async enter(behind = ''): Promise<void> {
    // Another address in between, so that it is loaded anew and not only scrolled.
    await this.page.goto('about:blank');
    await this.page.goto(this.#url + behind);
    await this.heard('open');
  }

  /** Done when the page has heard it: what it shows then is its answer, also when it looks the same. */
  async say(message: FromAgent): Promise<void> {
    await this.page.evaluate((each) => {
      const stage = globalThis as unknown as StageWindow;
      return new Promise<void>((resolve) => {
        stage.onSaid = resolve;
        stage.say(each);
      });
    }, message);
  }

  /** The agent ends by an error that nothing catches. */
  async crash(): Promise<void> {
    await this.page.evaluate(() => (globalThis as unknown as StageWindow).crash());
  }

  /** Shows the scene, whatever was shown before. */
  async play(scene: Scene): Promise<void> {
    await this.page.evaluate(
      (isPoor) => Object.assign(globalThis, { isPoor }),
      scene.isPoor === true,
    );
    await this.say(scene.says);
    await this.shows(scene.view);
  }

  /** Entered and begun: the states of a device that helps can follow. */
  async begin(): Promise<void> {
    await this.say(known());
    await this.press('Start helping');
    await this.heard('begin');
  }

  async shows(view: string): Promise<void> {
    await this.page.locator(`html[data-view="${view}"]`).waitFor({ state: 'attached' });
  }

  /** Presses a button once it takes presses. */
  async press(name: string): Promise<void> {
    const button = this.page.getByRole('button', { name, exact: true });
    await button.and(this.page.locator(':not([data-fresh])')).click();
  }

  /** The newest message of a type that the agent has heard. */
  async heard<T extends ToAgent['type']>(type: T): Promise<Extract<ToAgent, { readonly type: T }>> {
    const found = await this.page.waitForFunction(
      (wanted) =>
        (globalThis as unknown as StageWindow).heard.findLast((each) => each.type === wanted),
      type,
    );
    return (await found.jsonValue()) as Extract<ToAgent, { readonly type: T }>;
  }

  async allHeard(): Promise<readonly ToAgent['type'][]> {
    return this.page.evaluate(() =>
      (globalThis as unknown as StageWindow).heard.map(({ type }) => type),
    );
  }

  async forgetHeard(): Promise<void> {
    await this.page.evaluate(() => {
      (globalThis as unknown as StageWindow).heard.length = 0;
    });
  }
}
