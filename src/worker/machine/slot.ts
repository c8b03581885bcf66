// One slot of the executor, as the machine sees it: the attempts that were handed to it and are not
// answered yet. The executor runs them strictly in this order, one at a time.

import type { AttemptKey } from '../executor.ts';
import type { Ending, HandedPlace, LocalAttempt } from './local-attempt.ts';
import type { MachineTuning } from './port.ts';
import type { Job } from './jobs.ts';

export class Slot {
  readonly index: number;
  readonly handed = new Map<AttemptKey, LocalAttempt>();
  /** The attempt that runs, as far as the executor has reported `started`; null before. */
  running: LocalAttempt | null = null;
  /** Owner of the attempts that it was handed last; null before the first. */
  owner: string | null = null;
  /** Expected run time of all handed attempts. */
  #workMs = 0;
  /** How many of the handed attempts were told to stop. */
  #ending = 0;

  constructor(index: number) {
    this.index = index;
  }

  /** How many more attempts of this job it should be handed now. */
  roomFor(job: Job, tuning: MachineTuning): number {
    const { meanMs, limit } = job.pace;
    const count = this.handed.size;
    if (count === 0) return limit;
    // An attempt behind one that runs for long, or of unknown length, could not be recalled in
    // time.
    if (this.running !== null || meanMs === null) return 0;
    // A slot is filled again when it is half empty: a message to the child costs more than a short
    // task.
    if (count * 2 > limit) return 0;
    const affordable = (tuning.handedWorkMs - this.#workMs) / meanMs;
    return Math.min(limit - count, Math.floor(affordable));
  }

  add(attempt: LocalAttempt, tuning: MachineTuning): void {
    const estimateMs = attempt.job.pace.meanMs ?? tuning.handedWorkMs;
    attempt.place = { at: 'handed', slot: this, estimateMs, ending: 'none' };
    this.handed.set(attempt.key, attempt);
    this.owner = attempt.owner;
    this.#workMs += estimateMs;
  }

  remove(attempt: LocalAttempt, place: HandedPlace): void {
    this.handed.delete(attempt.key);
    this.#workMs = this.handed.size === 0 ? 0 : this.#workMs - place.estimateMs;
    if (place.ending !== 'none') this.#ending -= 1;
    if (this.running === attempt) this.running = null;
  }

  /** True when the executor must be told to stop the attempt; false when it was told already. */
  end(place: HandedPlace, ending: Exclude<Ending, 'none'>): boolean {
    const isFirst = place.ending === 'none';
    place.ending = ending;
    if (isFirst) this.#ending += 1;
    return isFirst;
  }

  /** True when attempts wait behind a running one and were not asked back yet. */
  isBlocked(): boolean {
    return this.running !== null && this.handed.size - this.#ending > 1;
  }

  /**
   * Attempts behind the running one: they had surely not begun at the newest event of the executor.
   */
  *waiting(): Generator<[LocalAttempt, HandedPlace]> {
    let isBehind = false;
    for (const attempt of this.handed.values()) {
      if (isBehind && attempt.place.at === 'handed') yield [attempt, attempt.place];
      if (attempt === this.running) isBehind = true;
    }
  }
}
