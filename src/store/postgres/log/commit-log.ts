// The log of commits. Who adds the next row to it is the one writer: every commit first adds its own row, and only
// directly behind a row of its own term. So whoever was shut out writes nothing, whatever it believes. A connection
// that breaks amid a commit leaves open whether it was written: the log tells.

import { setTimeout as sleep } from 'node:timers/promises';
import { StoreFault } from '../../store.ts';
import { asFault, closed, isFenced, isRefusal } from '../driver/faults.ts';
import type { Statement } from '../driver/statement.ts';
import type { LogEntry } from './log-entry.ts';
import type { LogLook, LogSession, OpenLogSession } from './log-session.ts';

/** How long an answered commit says that nobody else has written, counted from its sending. */
const trustMs = 500;
/** How long a database that cannot be reached is waited for. */
const defaultPatienceMs = 60_000;
const defaultPauseMs = 250;
/** Rows of the log that are kept, at the least. */
const keptRows = 10_000;
const trimmedAtOnce = 1_000;

export interface CommitLogOptions {
  /** The address for people. */
  readonly shown: string;
  readonly open: OpenLogSession;
  readonly patienceMs?: number | undefined;
  /** Between two tries to reach it. */
  readonly pauseMs?: number;
  /** Told when a commit was cut off, and when it has become clear what became of it. */
  readonly onTrouble?: ((sentence: string) => void) | undefined;
  readonly time?: LogTime;
  /** Aborted when whoever writes leaves, and has waited long enough: what is not answered by then never will be. */
  readonly over?: AbortSignal | undefined;
}

/** As it stands in the table of terms. */
export type TermEnd = 'resigned' | 'lonely';

/** Where the log has its time from. */
export interface LogTime {
  /** Milliseconds of a clock that only rises. */
  now(): number;
  sleep(ms: number): Promise<void>;
}

const realTime: LogTime = {
  now: () => performance.now(),
  sleep: (ms) => sleep(ms),
};

export interface Commit {
  /** The row of the log but for its sequence. */
  readonly entry: Omit<LogEntry, 'sequence'>;
  readonly statements: readonly Statement[];
}

export class CommitLog {
  /** Resolves when nothing can be written any more, also where it was a sign of life that failed. */
  readonly failed: Promise<Error>;
  readonly #options: CommitLogOptions;
  readonly #time: LogTime;
  /** Undefined after it broke. */
  #session: LogSession | undefined;
  #newest: LogEntry;
  /** When the newest commit that was answered was sent. */
  #confirmedAt = -Infinity;
  /** Ends when the transaction before has ended. */
  #queue: Promise<unknown> = Promise.resolve();
  /** After it nothing is written any more. */
  #fault: Error | undefined;
  #tellFault: (fault: Error) => void = () => undefined;
  #isClosed = false;

  /** `newest` is the row by which this writer has taken over. */
  constructor(session: LogSession, newest: LogEntry, options: CommitLogOptions) {
    this.#session = session;
    this.#newest = newest;
    this.#options = options;
    this.#time = options.time ?? realTime;
    this.failed = new Promise((resolve) => {
      this.#tellFault = resolve;
    });
  }

  /** The newest row of the log. */
  get newest(): LogEntry {
    return this.#newest;
  }

  /** Whether a commit was sent in the last so many milliseconds, and answered. */
  isFresh(withinMs: number): boolean {
    return this.#time.now() - this.#confirmedAt < withinMs;
  }

  /**
   * Writes in one durable transaction what `make` returns, when those before have ended. Throws `StoreFault`; after
   * that nothing is written any more, and the caller's memory may be wrong.
   */
  commit(make: (newest: LogEntry) => Commit | null): Promise<void> {
    return this.#inTurn(async () => {
      const commit = make(this.#newest);
      if (commit !== null) await this.#write(commit);
    });
  }

  /** Resolves when nobody else had written when it was called. */
  async confirm(): Promise<void> {
    if (this.#isClosed) throw closed();
    if (this.#fault !== undefined) throw this.#fault;
    if (this.isFresh(trustMs)) return;
    // However many have waited meanwhile, one empty commit tells all of them.
    await this.commit((newest) =>
      this.isFresh(trustMs) ? null : { entry: newest, statements: [] },
    );
  }

  /** A commit without rows: a sign of life. */
  beat(): Promise<void> {
    return this.commit((newest) => ({ entry: newest, statements: [] }));
  }

  /** Ends the term, and says why: who comes next need not wait. Does nothing more afterwards, and never fails. */
  async close(because: TermEnd = 'resigned'): Promise<void> {
    if (this.#isClosed) return;
    const ended = {
      text: `update terms set ended = $2 where term = $1`,
      values: [this.#newest.term, because],
    };
    const last = this.commit((newest) => ({ entry: newest, statements: [ended] }));
    this.#isClosed = true;
    // Whoever takes over without it has to wait a little.
    await last.catch(() => undefined);
    await this.#session?.end();
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.#isClosed) return Promise.reject(closed());
    const done = this.#queue.then(() => {
      if (this.#fault !== undefined) throw this.#fault;
      return work();
    });
    this.#queue = done.catch(() => undefined);
    return done;
  }

  async #write(commit: Commit): Promise<void> {
    const next = { ...commit.entry, sequence: this.#newest.sequence + 1 };
    const statements = [...commit.statements, ...trimming(next.sequence)];
    try {
      if (!(await this.#add(next, statements))) await this.#clearUp(next, statements);
    } catch (error) {
      this.#fault = error as Error;
      this.#tellFault(this.#fault);
      throw error;
    }
  }

  /** False when the log must say whether it was written. Throws a `StoreFault` when it was not, for a reason that stays. */
  async #add(next: LogEntry, statements: readonly Statement[]): Promise<boolean> {
    const session = this.#session;
    if (session === undefined) return false;
    const { shown, onTrouble } = this.#options;
    const sentAt = this.#time.now();
    try {
      await session.add(next, statements);
    } catch (error) {
      this.#session = undefined;
      await session.end();
      if (isFenced(error)) return false;
      if (isRefusal(error)) throw asFault(error, shown, 'write');
      const reason = (error as Error).message;
      onTrouble?.(
        `A commit to the database ${shown} was cut off (${reason}): looking whether it was written.`,
      );
      return false;
    }
    this.#newest = next;
    this.#confirmedAt = sentAt;
    return true;
  }

  /**
   * Finds out what became of a commit, and repeats it where it was not written. What is there is not believed at once:
   * a transaction that waits for a standby becomes visible without it when its connection is cut, and a failover takes
   * it back. A later commit that was answered covers it.
   */
  async #clearUp(next: LogEntry, statements: readonly Statement[]): Promise<void> {
    const { shown, onTrouble, patienceMs = defaultPatienceMs } = this.#options;
    const until = this.#time.now() + patienceMs;
    for (let tries = 0; ; tries++) {
      if (tries > 0 && this.#time.now() > until) throw unanswered(shown);
      const { newest, asked } = await this.#look(next.sequence, until);
      if (newest.term !== next.term) throw deposed(shown);
      if (asked !== undefined) {
        // Behind it may stand empty commits of before.
        if (!(await this.#add({ ...next, sequence: newest.sequence + 1 }, []))) continue;
        return onTrouble?.(`The commit to the database ${shown} had been written.`);
      }
      if (newest.sequence !== next.sequence - 1) throw lostCommits(shown);
      if (!(await this.#add(next, statements))) continue;
      return onTrouble?.(`The commit to the database ${shown} had not been written; now it is.`);
    }
  }

  /** Asks until there is an answer, or patience is at its end. */
  async #look(sequence: number, until: number): Promise<LogLook> {
    for (;;) {
      try {
        this.#session ??= await this.#options.open();
        return await this.#session.look(sequence);
      } catch (error) {
        const session = this.#session;
        this.#session = undefined;
        await session?.end();
        const { shown, over } = this.#options;
        if (over?.aborted === true || this.#time.now() > until) throw unanswered(shown, error);
        await this.#time.sleep(this.#options.pauseMs ?? defaultPauseMs);
      }
    }
  }
}

/** Now and then the oldest rows go with a commit. */
function trimming(sequence: number): Statement[] {
  if (sequence % trimmedAtOnce !== 0) return [];
  return [{ text: 'delete from commits where sequence <= $1', values: [sequence - keptRows] }];
}

function deposed(shown: string): StoreFault {
  const sentence = `Another coordinator has taken over the database ${shown}: this one may not write to it any more.`;
  return new StoreFault('store_deposed', sentence);
}

function unanswered(shown: string, error?: unknown): StoreFault {
  const reason =
    error instanceof Error ? error.message : 'no commit was answered, though it was reached';
  const sentence =
    `The database ${shown} did not say whether the newest commit was written (${reason}), ` +
    'and nobody waits for it any more.';
  return new StoreFault('store_unanswered', sentence, error);
}

function lostCommits(shown: string): StoreFault {
  const sentence = `The database ${shown} has lost its newest commits, as after a failover to a server that did not have them.`;
  return new StoreFault('store_lost_commits', sentence);
}
