// The processor time of each task of a page's main thread: unlike how long it took, the other load of the machine does
// not count in it.

import type { Browser, CDPSession } from 'playwright-core';

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** Microseconds of its thread. */
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

export class TaskTrace {
  readonly #session: CDPSession;
  readonly #events: TraceEvent[] = [];

  static async begin(browser: Browser): Promise<TaskTrace> {
    const trace = new TaskTrace(await browser.newBrowserCDPSession());
    await trace.#session.send('Tracing.start', {
      transferMode: 'ReportEvents',
      traceConfig: { includedCategories: ['toplevel'] },
    });
    return trace;
  }

  private constructor(session: CDPSession) {
    this.#session = session;
    session.on('Tracing.dataCollected', ({ value }) => {
      for (const event of value as unknown as TraceEvent[]) {
        if (event.name.endsWith('RunTask') || event.name === 'thread_name')
          this.#events.push(event);
      }
    });
  }

  /** Of the page that worked most, in ms. */
  async end(): Promise<readonly number[]> {
    const completed = new Promise((resolve) => {
      this.#session.once('Tracing.tracingComplete', resolve);
    });
    await this.#session.send('Tracing.end');
    await completed;
    await this.#session.detach();
    const tasks = new Map<string, number[]>();
    for (const { name, args, pid, tid } of this.#events) {
      if (name === 'thread_name' && args?.name === 'CrRendererMain') tasks.set(`${pid} ${tid}`, []);
    }
    for (const { pid, tid, tdur } of this.#events) {
      if (tdur !== undefined) tasks.get(`${pid} ${tid}`)?.push(tdur / 1000);
    }
    const sum = (all: readonly number[]) => all.reduce((total, each) => total + each, 0);
    return [...tasks.values()].toSorted((a, b) => sum(b) - sum(a))[0] ?? [];
  }
}
