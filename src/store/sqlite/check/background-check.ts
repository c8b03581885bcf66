// Has a database checked while its coordinator runs: some time after the start, and then every day.
// The work is done in a thread of its own (`check-thread.ts`).

import { Worker } from 'node:worker_threads';
import type { CheckReport } from './store-check.ts';

/** The check does not compete with a start. */
const defaultDelayMs = 10_000;
const dayMs = 24 * 3_600_000;
const threadHeapMb = 128;

const extension = import.meta.url.endsWith('.ts') ? '.ts' : '.js';
const threadUrl = new URL(`./check-thread${extension}`, import.meta.url);

export interface BackgroundCheckOptions {
  readonly onReport: (report: CheckReport) => void;
  /** Called when the database could not be checked. */
  readonly onError: (error: Error) => void;
  readonly delayMs?: number;
}

export class BackgroundCheck {
  readonly #path: string;
  readonly #options: BackgroundCheckOptions;
  #timer: NodeJS.Timeout;
  #thread: Worker | undefined;
  #hasStopped = false;

  constructor(path: string, options: BackgroundCheckOptions) {
    this.#path = path;
    this.#options = options;
    this.#timer = this.#later(options.delayMs ?? defaultDelayMs);
  }

  /** Resolves when nothing reads the database any more. */
  async stop(): Promise<void> {
    this.#hasStopped = true;
    clearTimeout(this.#timer);
    await this.#thread?.terminate();
  }

  #later(ms: number): NodeJS.Timeout {
    return setTimeout(() => this.#run(), ms).unref();
  }

  #run(): void {
    const thread = new Worker(threadUrl, {
      workerData: this.#path,
      resourceLimits: { maxOldGenerationSizeMb: threadHeapMb },
    });
    this.#thread = thread;
    thread.on('message', (report: CheckReport) => this.#options.onReport(report));
    thread.on('error', (error: Error) => this.#options.onError(error));
    thread.on('exit', () => {
      this.#thread = undefined;
      if (!this.#hasStopped) this.#timer = this.#later(dayMs);
    });
    thread.unref();
  }
}
