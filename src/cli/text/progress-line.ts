// One line at the bottom of the terminal while a job runs. Nothing is drawn when stderr is no terminal.

import type { Terminal } from './terminal.ts';
import { counted, duration, grouped, percent } from './wording.ts';

/** While the coordinator does not answer whoever waits for a job. */
export const NO_ANSWER = 'no answer from the coordinator, trying again …';

const BAR_CELLS = 24;
const REDRAW_MS = 100;
/** The rate is taken over the last seconds, so that a slow start is forgotten. */
const RATE_WINDOW_MS = 10_000;
/** Longer, as running tasks are heard of every few seconds only. */
const LEFT_WINDOW_MS = 30_000;
const SHORTEST_MS = 500;

/** How a task has ended. */
export interface EndedTask {
  readonly index: number;
  readonly status: 'completed' | 'failed' | 'cancelled';
}

interface Moment {
  readonly atMs: number;
  readonly done: number;
  readonly share: number;
}

export class ProgressLine {
  #terminal: Terminal;
  #total: number;
  #noun: string;
  #completed = 0;
  /** Tasks that ended otherwise; a retry may replace that. */
  #others = new Map<number, 'failed' | 'cancelled'>();
  #failed = 0;
  /** What the coordinator says, with the tasks that run. */
  #reported = 0;
  #word = '';
  #isHeld = false;
  #drawnAt = Number.NEGATIVE_INFINITY;
  #history: Moment[] = [];

  /** `noun`: of what there are `total`. */
  constructor(terminal: Terminal, total: number, noun = 'task') {
    this.#terminal = terminal;
    this.#total = total;
    this.#noun = noun;
  }

  /** A task has ended, or has ended anew after a retry. */
  advance({ index, status }: EndedTask): void {
    if (this.#others.get(index) === 'failed') this.#failed--;
    this.#others.delete(index);
    if (status === 'completed') this.#completed++;
    else this.#others.set(index, status);
    if (status === 'failed') this.#failed++;
    if (status === 'cancelled') this.#reported = 0; // What ran of it is gone.
    this.#word = '';
    this.draw();
  }

  /** The job is so far, from 0 to 1: what has ended, and the shares of what runs. */
  reach(share: number, isHeld = false): void {
    this.#reported = share;
    this.#isHeld = isHeld;
    this.draw();
  }

  /** So many have ended, where nobody follows each. */
  count(completed: number, failed: number): void {
    this.#completed = completed;
    this.#failed = failed;
    this.#word = '';
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
    const atMs = performance.now();
    const isOver = this.#completed + this.#others.size >= this.#total;
    if (!isUrgent && atMs - this.#drawnAt < REDRAW_MS && !isOver) return;
    this.#drawnAt = atMs;
    // What passes while it is held tells nothing of its pace: that is measured from the release on.
    if (this.#isHeld) this.#history = [];
    this.#history.push({ atMs, done: this.#done, share: this.#share });
    while (atMs - (this.#history[0]?.atMs ?? atMs) > LEFT_WINDOW_MS) this.#history.shift();
    this.#terminal.status(this.#text());
  }

  /** What was cancelled is not done. */
  get #done(): number {
    return this.#completed + this.#failed;
  }

  get #share(): number {
    return Math.max(this.#total === 0 ? 1 : this.#done / this.#total, this.#reported);
  }

  #text(): string {
    const full = Math.floor(this.#share * BAR_CELLS);
    const bar = `[${'#'.repeat(full)}${'.'.repeat(BAR_CELLS - full)}]`;
    const parts = [
      `${bar} ${percent(this.#share).padStart(5)}`,
      `${grouped(this.#done)} of ${counted(this.#total, this.#noun)}`,
      ...this.#state(),
      ...(this.#failed === 0 ? [] : [`${grouped(this.#failed)} failed`]),
    ];
    return parts.join('  ');
  }

  #state(): readonly string[] {
    if (this.#word !== '') return [this.#word];
    return this.#isHeld ? ['held'] : [...this.#rate(), ...this.#left()];
  }

  #rate(): readonly string[] {
    const last = this.#history.at(-1);
    const first = this.#history.find(({ atMs }) => (last?.atMs ?? 0) - atMs <= RATE_WINDOW_MS);
    if (first === undefined || last === undefined || last.atMs - first.atMs < SHORTEST_MS)
      return [];
    const perSecond = ((last.done - first.done) * 1_000) / (last.atMs - first.atMs);
    if (perSecond <= 0) return [];
    return [`${perSecond < 10 ? perSecond.toFixed(1) : grouped(Math.round(perSecond))}/s`];
  }

  /** From the share, so that it is told before the first task ends. */
  #left(): readonly string[] {
    const [first] = this.#history;
    const last = this.#history.at(-1);
    if (first === undefined || last === undefined || last.share >= 1) return [];
    const gained = last.share - first.share;
    const tookMs = last.atMs - first.atMs;
    if (gained <= 0 || tookMs < SHORTEST_MS) return [];
    return [`${duration(((1 - last.share) / gained) * tookMs)} left`];
  }
}
