// The battery of a phone, as the command `termux-battery-status` tells it (package `termux-api`, with the app
// Termux:API). It is asked now and then and never waited for; where it is not there, nobody misses it.

import { execFile } from 'node:child_process';

export interface BatteryReading {
  readonly levelPercent: number;
  readonly isCharging: boolean;
}

/** Without the app beside it the command waits for ever. */
const patienceMs = 10_000;
const askEveryMs = 60_000;
const longestPauseMs = 3_600_000;
const mostBytes = 64 * 1024;

/** Calls back with what the command has said; null when it has failed. */
type Ask = (answer: (text: string | null) => void) => void;

export class TermuxBattery {
  readonly #ask: Ask;
  readonly #nowMs: () => number;
  #reading: BatteryReading | null = null;
  #isAsking = false;
  #pauseMs = askEveryMs;
  #nextAt = -Infinity;

  constructor(ask: Ask = askCommand, nowMs: () => number = () => performance.now()) {
    this.#ask = ask;
    this.#nowMs = nowMs;
  }

  /** What was told last; null before that, and when it cannot be known. Asks anew when it is time. */
  read(): BatteryReading | null {
    const now = this.#nowMs();
    if (!this.#isAsking && now >= this.#nextAt) {
      this.#isAsking = true;
      this.#ask((text) => this.#told(text));
    }
    return this.#reading;
  }

  #told(text: string | null): void {
    this.#isAsking = false;
    this.#reading = text === null ? null : parseStatus(text);
    this.#pauseMs =
      this.#reading === null ? Math.min(longestPauseMs, this.#pauseMs * 2) : askEveryMs;
    this.#nextAt = this.#nowMs() + this.#pauseMs;
  }
}

/** Null when it is not what the command says. */
function parseStatus(text: string): BatteryReading | null {
  try {
    const { percentage, plugged, status } = JSON.parse(text) as Record<string, unknown>;
    if (typeof percentage !== 'number' || !(percentage >= 0 && percentage <= 100)) return null;
    const isPlugged = typeof plugged === 'string' && plugged.startsWith('PLUGGED');
    return {
      levelPercent: percentage,
      isCharging: isPlugged || status === 'CHARGING' || status === 'FULL',
    };
  } catch {
    return null;
  }
}

function askCommand(answer: (text: string | null) => void): void {
  const options = { timeout: patienceMs, maxBuffer: mostBytes, killSignal: 'SIGKILL' } as const;
  const child = execFile('termux-battery-status', options, (error, stdout) => {
    answer(error === null ? stdout : null);
  });
  child.stdin?.end();
  child.unref();
}
