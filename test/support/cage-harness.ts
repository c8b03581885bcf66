// The executor of a browser, with frames of a real page for children.
//
// `const page = await CagePage.open()`, then `page.harness({ … })` as often as needed: each has an
// agent and frames of its own.

import type { Browser, Page } from 'playwright-core';
import type {
  AttemptKey,
  Executor,
  ExecutorEvent,
  ExecutorProgram,
  ExecutorTask,
  StopReason,
} from '../../src/worker/executor.ts';
import type { BrowserExecutorOptions } from '../../src/worker/browser/browser-executor.ts';
import { launchBrowser } from './browser.ts';
import { type CageFiles, serveCageFiles } from './cage-files.ts';
import { TaskHarness } from './task-harness.ts';

/** What can be told to an agent in another thread. */
type PlainOptions = Omit<
  BrowserExecutorOptions,
  'listener' | 'tellPage' | 'losses' | 'onUnsaved' | 'onOutput' | 'onFrameless'
>;

export interface CageOptions extends Partial<PlainOptions> {
  readonly onUnsaved?: (key: AttemptKey, why: string) => void;
  readonly onFrameless?: (why: string | null) => void;
}

interface Told {
  readonly id: number;
  readonly children: readonly number[];
  readonly event?: ExecutorEvent;
  readonly output?: { readonly key: AttemptKey; readonly text: string };
  readonly unsaved?: { readonly key: AttemptKey; readonly why: string };
  readonly frameless?: string | null;
  readonly closed?: true;
  readonly fault?: string;
}

export class CagePage {
  readonly browser: Browser;
  readonly page: Page;
  readonly #files: CageFiles;
  readonly #harnesses: Map<number, CageHarness>;

  private constructor(
    browser: Browser,
    page: Page,
    files: CageFiles,
    harnesses: Map<number, CageHarness>,
  ) {
    this.#harnesses = harnesses;
    this.browser = browser;
    this.page = page;
    this.#files = files;
  }

  static async open(browserOptions: Parameters<typeof launchBrowser>[0] = {}): Promise<CagePage> {
    const harnesses = new Map<number, CageHarness>();
    const [browser, files] = await Promise.all([
      launchBrowser(browserOptions),
      serveCageFiles((told) => harnesses.get((told as Told).id)?.heard(told as Told)),
    ]);
    const page = await browser.newPage();
    await page.goto(files.url);
    return new CagePage(browser, page, files, harnesses);
  }

  get url(): string {
    return this.#files.url;
  }

  harness(options: CageOptions = {}): CageHarness {
    const id = this.#harnesses.size + 1;
    const harness = new CageHarness(this.page, options, (name, ...args) => {
      this.#files.call({ id, name, args });
    });
    this.#harnesses.set(id, harness);
    return harness;
  }

  async close(): Promise<void> {
    await this.browser.close();
    this.#files.close();
  }
}

type Call = (name: string, ...args: readonly unknown[]) => void;

export class CageHarness extends TaskHarness {
  readonly executor: Executor;
  readonly #page: Page;
  readonly #options: CageOptions;
  readonly #call: Call;
  #children: readonly number[] = [];
  #isClosed = false;

  constructor(page: Page, options: CageOptions, call: Call) {
    super();
    this.#page = page;
    this.#options = options;
    this.#call = call;
    const { onUnsaved: _unsaved, onFrameless: _frameless, ...plain } = options;
    call('create', { slots: 1, spares: 1, memoryLimitMb: 256, softKillMs: 100, ...plain });
    this.executor = {
      slots: options.slots ?? 1,
      isolation: 'ses+frame',
      run: (slot: number, program: ExecutorProgram, tasks: readonly ExecutorTask[]) =>
        call('run', slot, program, tasks),
      stop: (slot: number, key: AttemptKey, reason: StopReason) => call('stop', slot, key, reason),
      checkpoint: (slot: number, key: AttemptKey) => call('checkpoint', slot, key),
      forget: (jobId: string) => call('forget', jobId),
      close: async () => {
        call('close');
        await this.until(() => this.#isClosed);
      },
    };
  }

  /** Changes the number of slots while tasks run. */
  setSlots(slots: number): void {
    this.#call('setSlots', slots);
  }

  children(): readonly number[] {
    return this.#children;
  }

  /**
   * The agent loses its frames at once, as when their one process crashes in a browser that tells it. The
   * others tell nothing, and some seconds go by until beats are missed: see `crashProcess`.
   */
  crash(): void {
    this.#call('lose');
  }

  /** Crashes the process of the newest frame. */
  async crashProcess(): Promise<void> {
    const frame = this.#page.frames().findLast((each) => each.url().endsWith('/frame'));
    if (frame === undefined) throw new Error('there is no frame that could crash');
    const session = await this.#page.context().newCDPSession(frame);
    // It is not answered: who would answer is gone.
    void session.send('Page.crash').catch(() => {});
  }

  heard({ children, event, output, unsaved, frameless, closed, fault }: Told): void {
    if (fault !== undefined) throw new Error(`the agent failed: ${fault}`);
    this.#children = children;
    if (closed === true) this.#isClosed = true;
    if (unsaved !== undefined) this.#options.onUnsaved?.(unsaved.key, unsaved.why);
    if (frameless !== undefined) this.#options.onFrameless?.(frameless);
    if (output !== undefined) this.hearOutput(output.key, output.text);
    else if (event !== undefined) this.hear(event);
    else this.hearOutput('', '');
  }
}
