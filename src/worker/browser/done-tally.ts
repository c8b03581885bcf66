// What the device has done: today, since the page was opened, and ever.

import type { ExecutorOutcome } from '../executor.ts';
import type { Done } from './page-messages.ts';

type Tally = { -readonly [K in keyof Done]: Done[K] };

/** What is kept on the device. */
export interface KeptTally {
  /** The local day of `today`: `2026-6-15`. */
  readonly day: string;
  readonly today: Done;
  readonly doneEver: number;
}

const recentMost = 60;
/** Between two looks the device was asleep when it took longer. */
const longestStepMs = 5_000;

export class DoneTally {
  readonly session = empty();
  readonly recent: ('done' | 'failed')[] = [];
  doneEver: number;
  #today: Tally;
  #day: string;
  #lookedAtMs: number | null = null;

  constructor(kept: KeptTally | null, nowMs: number) {
    this.#day = dayOf(nowMs);
    this.#today = kept?.day === this.#day ? { ...kept.today } : empty();
    this.doneEver = kept?.doneEver ?? 0;
  }

  today(nowMs: number): Done {
    this.#turn(nowMs);
    return this.#today;
  }

  kept(nowMs: number): KeptTally {
    return { today: { ...this.today(nowMs) }, day: this.#day, doneEver: this.doneEver };
  }

  /** `watts`: of a busy core; null: not known. */
  ended(outcome: ExecutorOutcome, watts: number | null, nowMs: number): void {
    if (outcome.type === 'stopped') return;
    const isDone = outcome.type === 'result';
    this.recent.push(isDone ? 'done' : 'failed');
    if (this.recent.length > recentMost) this.recent.shift();
    if (isDone) this.doneEver += 1;
    this.#add(nowMs, (tally) => {
      if (isDone) tally.tasks += 1;
      else tally.failed += 1;
      if (watts !== null && Number.isFinite(outcome.cpuSeconds)) {
        tally.energyJoules = (tally.energyJoules ?? 0) + outcome.cpuSeconds * watts;
      }
    });
  }

  moved(bytes: number, nowMs: number): void {
    this.#add(nowMs, (tally) => {
      tally.bytes += bytes;
    });
  }

  /** Called again and again: `isRunning` holds for the time since the last call. */
  look(isRunning: boolean, nowMs: number): void {
    const ms = Math.min(longestStepMs, Math.max(0, nowMs - (this.#lookedAtMs ?? nowMs)));
    this.#lookedAtMs = nowMs;
    if (!isRunning) return;
    this.#add(nowMs, (tally) => {
      tally.helpedMs += ms;
    });
  }

  #add(nowMs: number, change: (tally: Tally) => void): void {
    this.#turn(nowMs);
    change(this.#today);
    change(this.session);
  }

  #turn(nowMs: number): void {
    const day = dayOf(nowMs);
    if (day === this.#day) return;
    this.#day = day;
    this.#today = empty();
  }
}

/** Undefined fields of a damaged record must not become numbers that a person sees. */
export function readTally(value: unknown): KeptTally | null {
  if (typeof value !== 'object' || value === null) return null;
  const { day, today, doneEver } = value as { readonly [K in keyof KeptTally]?: unknown };
  if (typeof day !== 'string' || !isCount(doneEver)) return null;
  if (typeof today !== 'object' || today === null) return null;
  const { tasks, failed, helpedMs, bytes, energyJoules } = today as Done;
  const areCounts = [tasks, failed, helpedMs, bytes, energyJoules ?? 0].every(isCount);
  if (!areCounts) return { day: '', today: empty(), doneEver };
  const joules = energyJoules ?? null;
  return { day, today: { tasks, failed, helpedMs, bytes, energyJoules: joules }, doneEver };
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value < Infinity;
}

function empty(): Tally {
  return { tasks: 0, failed: 0, helpedMs: 0, bytes: 0, energyJoules: null };
}

function dayOf(atMs: number): string {
  const at = new Date(atMs);
  return `${at.getFullYear()}-${at.getMonth() + 1}-${at.getDate()}`;
}
