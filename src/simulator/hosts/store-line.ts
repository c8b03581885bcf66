// The way of one process to the database, as long as it lives: calls take their time, get lost, or stay without an
// answer; a process that stands still hears of answers when it goes on.

import type { Statement } from '../../store/postgres/driver/statement.ts';
import type { LogSession } from '../../store/postgres/log/log-session.ts';
import type { LogEntry } from '../../store/postgres/log/log-entry.ts';
import type { Clock } from '../clock.ts';
import type { Prng } from '../prng.ts';
import type { Standstill } from '../standstill.ts';
import type { Database } from './database.ts';
import { GoneAway } from './database.ts';
import type { HostFaults } from './host-faults.ts';

export interface StoreLineOptions {
  readonly clock: Clock;
  readonly prng: Prng;
  readonly database: Database;
  readonly standstill: Standstill;
  readonly faults: () => HostFaults;
  /** The process has not died. */
  readonly isAlive: () => boolean;
  readonly isCut: () => boolean;
  readonly onLost: (what: 'request' | 'answer') => void;
  readonly onSlow: (ms: number) => void;
  /** A commit is there, and the host stands still before it hears so. */
  readonly onFrozen: (ms: number) => void;
}

/** A commit without an answer for so long is given up, as by `server-session.ts`. */
const commitSilenceMs = 10_000;
const lookSilenceMs = 3_000;
const slowestMs = 45_000;

export class StoreLine {
  readonly #options: StoreLineOptions;
  /** What stands in the statements of commits on their way. */
  readonly #enclosed = new Map<number, () => void>();
  #letters = 0;

  constructor(options: StoreLineOptions) {
    this.#options = options;
  }

  get isUp(): boolean {
    return !this.#options.isCut() && !this.#options.database.isAway;
  }

  /** A statement that does something with the row of its commit. */
  enclose(write: () => void): Statement {
    const letter = ++this.#letters;
    this.#enclosed.set(letter, write);
    return { text: 'write', values: [letter] };
  }

  open(): LogSession {
    const { database } = this.#options;
    let isBroken = false;
    const using = async <T>(call: () => Promise<T>): Promise<T> => {
      if (isBroken) throw new Error('the connection is broken');
      try {
        return await call();
      } catch (error) {
        isBroken = true;
        throw error;
      }
    };
    return {
      add: (entry, statements) => using(() => this.#add(entry, statements)),
      look: (sequence) =>
        using(() => this.call(async () => database.find(sequence), lookSilenceMs)),
      end: async () => undefined,
    };
  }

  /** What `work` resolves to, when it has arrived and its answer has come. */
  call<T>(work: () => Promise<T>, silenceMs = lookSilenceMs): Promise<T> {
    const { clock, prng, faults, standstill } = this.#options;
    return new Promise((resolve, reject) => {
      let isOver = false;
      const end = (tell: () => void) => {
        if (isOver) return;
        isOver = true;
        if (this.#options.isAlive()) tell();
      };
      const lose = (what: 'request' | 'answer') => {
        this.#options.onLost(what);
        // The connection is reset, or nobody says anything.
        if (!prng.chance(0.6)) return;
        clock.after(prng.spread(1, 500), () =>
          standstill.read(() => end(() => reject(new Error('the connection broke')))),
        );
      };
      const delay = () => prng.spread(...faults().delayMs);
      const answer = (tell: () => void) => {
        clock.after(delay(), () => {
          if (!this.isUp || prng.chance(faults().lostAnswers)) return lose('answer');
          standstill.read(() => end(tell));
        });
      };
      clock.after(silenceMs, () =>
        standstill.run(() => end(() => reject(new Error('the connection is silent')))),
      );
      if (!this.isUp) return lose('request');
      clock.after(delay(), () => {
        if (!this.isUp || prng.chance(faults().lostRequests)) return lose('request');
        work().then(
          (value) => answer(() => resolve(value)),
          (error: Error) =>
            error instanceof GoneAway ? lose('answer') : answer(() => reject(error)),
        );
      });
    });
  }

  #add(entry: LogEntry, statements: readonly Statement[]): Promise<void> {
    const { database, prng, faults, onSlow, onFrozen } = this.#options;
    const { sequence, term, batch } = entry;
    const isSlow = prng.chance(faults().slowCommits);
    const lastsMs = isSlow ? prng.spread(500, slowestMs) : 0;
    const write = () => {
      for (const { text, values } of statements) {
        if (text === 'write') this.#enclosed.get(values[0] as number)?.();
        if (text.startsWith('update terms')) database.end(term, values[1] as string);
      }
    };
    return this.call(async () => {
      if (isSlow) onSlow(lastsMs);
      const row = { sequence, term, batch };
      await database.add({ row, termBefore: term, lastsMs, write });
      if (faults().frozenCommits > 0 && prng.chance(faults().frozenCommits)) {
        onFrozen(prng.spread(3_000, 12_000));
      }
    }, commitSilenceMs);
  }
}
