// The thread in a frame of a real browser that runs programs, as the fuzzer sees it. The frame has the
// policies of production, and the thread does what that of production does before it serves.

import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { launchBrowser } from '../../support/browser.ts';
import { type CageFiles, serveCageFiles } from '../../support/cage-files.ts';
import { bundleThread } from '../../support/thread-bundle.ts';
import type { BatchEnd, ProgramRunner } from './fuzzing-child.ts';
import type { Vocabulary } from './grammar/vocabulary.ts';
import type { Order } from './program-tree.ts';

const inside = join(import.meta.dirname, 'inside');
/** As long as a child that is a process is watched without headway. */
const patienceMs = 20_000;

/** A browser in which fuzzing frames are opened. */
export class FuzzingBrowser {
  readonly #browser: Browser;
  readonly #files: CageFiles;
  readonly #page: Page;
  readonly #code: string;
  #frames = 0;

  private constructor(browser: Browser, files: CageFiles, page: Page, code: string) {
    this.#browser = browser;
    this.#files = files;
    this.#page = page;
    this.#code = code;
  }

  static async open(): Promise<FuzzingBrowser> {
    const files = await serveCageFiles(() => {});
    const [browser, code] = await Promise.all([
      launchBrowser(),
      bundleThread(join(inside, 'main.ts')),
    ]);
    const page = await browser.newPage();
    await page.goto(`${files.url}/empty`);
    await page.evaluate(
      `globalThis.fuzzing = new Map(); globalThis.startFuzzing = ${startFuzzing}`,
    );
    return new FuzzingBrowser(browser, files, page, code);
  }

  readonly start = async (): Promise<ProgramRunner> => {
    const id = ++this.#frames;
    const page = this.#page;
    const answer = (await page.evaluate(
      `startFuzzing(${id}, ${JSON.stringify(this.#code)}, ${patienceMs})`,
    )) as Answer;
    const first = answer.said;
    if (first?.[0] !== 'ready') throw new Error(`the fuzzing frame did not start: ${answer.words}`);
    return {
      vocabulary: first[1] as Vocabulary,
      run: async (module: string, orders: readonly Order[]): Promise<BatchEnd> => {
        const batch = JSON.stringify(['batch', module, orders]);
        const { said, at, words } = (await page.evaluate(
          `fuzzing.get(${id}).ask(${batch})`,
        )) as Answer;
        if (said !== null) {
          const [, faults, refusal] = said as ['checked', string[], string | null];
          return { type: 'checked', faults, refusal };
        }
        if (words === '') return { type: 'hung', at };
        return { type: 'ended', how: 'an error that nothing caught', at, words };
      },
      end: async () => {
        await page.evaluate(`fuzzing.get(${id}).end()`);
      },
    };
  };

  async close(): Promise<void> {
    await this.#browser.close();
    this.#files.close();
  }
}

interface Answer {
  readonly said: readonly unknown[] | null;
  readonly at: number;
  readonly words: string;
}

/** In the page: opens a frame, and asks its thread one thing after the other. */
const startFuzzing = `async (id, code, patienceMs) => {
  const frame = document.createElement('iframe');
  frame.setAttribute('sandbox', 'allow-scripts');
  await new Promise((resolve) => {
    frame.onload = resolve;
    frame.src = '/frame';
    document.body.append(frame);
  });
  const { port1, port2 } = new MessageChannel();
  let at = 0, settle = () => {}, timer;
  const wait = () => {
    clearTimeout(timer);
    timer = setTimeout(() => settle({ said: null, at, words: '' }), patienceMs);
  };
  const answer = () => new Promise((resolve) => {
    settle = (said) => { clearTimeout(timer); resolve(said) };
    wait();
  });
  port1.onmessage = ({ data }) => {
    if (typeof data === 'number') { at = data; wait() }
    else if (data[0] === 'words') settle({ said: null, at, words: data[1] });
    else if (data[0] === 'ready' || data[0] === 'checked') settle({ said: data, at, words: '' });
  };
  addEventListener('message', ({ source, data }) => {
    if (source === frame.contentWindow && data.type === 'frame_fault') settle({ said: null, at, words: 'Error: ' + data.why });
  });
  fuzzing.set(id, {
    ask: (batch) => { const said = answer(); port1.postMessage(batch); return said },
    end: () => { frame.remove(); port1.close(); fuzzing.delete(id) },
  });
  frame.contentWindow.postMessage({ type: 'start', code, port: port2 }, '*', [port2]);
  return answer();
}`;
