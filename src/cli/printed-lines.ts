// What the tasks of a followed job print, on stderr while the results go to stdout.

import { setTimeout as pause } from 'node:timers/promises';
import type { MusterClient, PrintedText } from '../client/index.ts';
import type { Terminal } from './text/terminal.ts';

/** What was printed last comes by another stream than the results, which ends with the job. */
const LAST_WORDS_MS = 5_000;

export class PrintedLines {
  readonly #stop = new AbortController();
  readonly #shown: Promise<void>;

  /** `from`: the id of an event; what came before it is not shown. */
  constructor(client: MusterClient, jobId: string, terminal: Terminal, from?: string) {
    const { signal } = this.#stop;
    const how = from === undefined ? { signal } : { signal, lastEventId: from };
    this.#shown = (async () => {
      for await (const printed of client.printed(jobId, how)) show(printed, terminal);
      // Whoever follows the results says what is the matter.
    })().catch(() => {});
  }

  /** The job has ended: waits for what is still on its way. */
  async finish(): Promise<void> {
    await Promise.race([this.#shown, pause(LAST_WORDS_MS)]);
    this.stop();
  }

  stop(): void {
    this.#stop.abort();
  }
}

function show({ index, text, leftOut }: PrintedText, terminal: Terminal): void {
  const mark = terminal.noteColors.dim(`  ${index} |`);
  if (leftOut > 0) terminal.note(`${mark} … ${leftOut} characters are left out here …`);
  const lines = text.replace(/\n$/, '').split('\n');
  if (text !== '') for (const line of lines) terminal.note(`${mark} ${line}`);
}
