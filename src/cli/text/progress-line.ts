// One line at the bottom of the terminal while a job runs. Nothing is drawn when stderr is no terminal.

import type { Terminal } from './terminal.ts';
import { counted, duration, grouped, percent } from './wording.ts';

const BAR_CELLS = 24;
const REDRAW_MS = 100;
/** The rate is taken over the last seconds, so that a slow start is forgotten. */
const RATE_WINDOW_MS = 10_000;

export class ProgressLine {
  #terminal: Terminal;
  #total: number;
  #done = 0;
  #failed = 0;
  #word = '';
  #drawnAt = Number.NEGATIVE_INFINITY;
  #history: { readonly atMs: number; readonly done: number }[] = [];

  constructor(terminal: Terminal, total: number) {
    this.#terminal = terminal;
    this.#total = total;
  }

  /** A task has ended. `isAgain`: it had ended before, as failed or cancelled, and was retried. */
  advance(isFailed: boolean, isAgain = false): void {
    if (isAgain) this.#failed--;
    else this.#done++;
    if (isFailed) this.#failed++;
    this.#word = '';
    this.draw();
  }

  /** Shows a text in place of the rate, until the next result. */
  say(word: string): void {
    this.#word = word;
    this.draw(true);
  }

  clear(): void {
    this.#terminal.status('');
  }

  draw(isUrgent = false): void {
    if (!this.#terminal.isInteractive) return;
    const nowMs = performance.now();
    if (!isUrgent && nowMs - this.#drawnAt < REDRAW_MS && this.#done < this.#total) return;
    this.#drawnAt = nowMs;
    this.#history.push({ atMs: nowMs, done: this.#done });
    while (nowMs - (this.#history[0]?.atMs ?? nowMs) > RATE_WINDOW_MS) this.#history.shift();
    this.#terminal.status(this.#text());
  }

  #text(): string {
    const share = this.#total === 0 ? 1 : this.#done / this.#total;
    const full = Math.floor(share * BAR_CELLS);
    const bar = `[${'#'.repeat(full)}${'.'.repeat(BAR_CELLS - full)}]`;
    const parts = [
      `${bar} ${percent(share).padStart(5)}`,
      `${grouped(this.#done)} of ${counted(this.#total, 'task')}`,
      ...(this.#word === '' ? this.#figures() : [this.#word]),
      ...(this.#failed === 0 ? [] : [`${grouped(this.#failed)} failed`]),
    ];
    return parts.join('  ');
  }

  #figures(): readonly string[] {
    const first = this.#history[0];
    const last = this.#history.at(-1);
    if (first === undefined || last === undefined || last.atMs - first.atMs < 500) return [];
    const perSecond = ((last.done - first.done) * 1_000) / (last.atMs - first.atMs);
    if (perSecond === 0) return [];
    const left = duration(((this.#total - this.#done) / perSecond) * 1_000);
    const rate = perSecond < 10 ? perSecond.toFixed(1) : grouped(Math.round(perSecond));
    return [`${rate}/s`, ...(this.#done < this.#total ? [`${left} left`] : [])];
  }
}
