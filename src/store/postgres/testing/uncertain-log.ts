// A log of commits in memory, reached over connections that break: before a commit has arrived, after it was written, or
// while it is still being written. What is written stays, but for a failover, which takes the newest rows back.

import type { Statement } from '../driver/statement.ts';
import type { LogEntry } from '../log/log-entry.ts';
import type { LogLook, LogPlace, LogSession } from '../log/log-session.ts';
import { LogInMemory, serverError } from '../log/log-in-memory.ts';

/** What becomes of a call, in the order of calls. */
export type Mishap =
  | 'none'
  /** The connection breaks before the server has read it. */
  | 'request_lost'
  /** The server says that nothing was written: somebody has cancelled it. */
  | 'cancelled'
  /** It is done, and the answer never comes. */
  | 'answer_lost'
  /** The connection breaks; the server finishes it a little later, after the next look at the log. */
  | 'finished_late'
  /** It is done and answered, or lost; then the newest row is taken back, as by a failover. */
  | 'taken_back'
  /** Another writer takes over before. */
  | 'taken_over';

interface Written extends LogPlace {
  readonly payload: unknown;
}

export class UncertainLog {
  readonly #log = new LogInMemory<Written>({ sequence: 0, term: 'none', payload: null });
  readonly #mishaps: Mishap[];
  /** Transactions that go on although their connection is gone. They hold the next sequence. */
  #late: (() => void)[] = [];
  #terms = 0;

  constructor(mishaps: readonly Mishap[]) {
    this.#mishaps = [...mishaps];
  }

  get rows(): Written[] {
    return this.#log.rows;
  }

  get newest(): Written {
    return this.#log.newest;
  }

  /** As a coordinator does: a row of a new term behind the newest. */
  takeOver(): string {
    const term = `term-${++this.#terms}`;
    this.rows.push({ sequence: this.newest.sequence + 1, term, payload: null });
    return term;
  }

  open(): LogSession {
    let isBroken = false;
    const pass = async (work: () => void, isLook: boolean) => {
      if (isBroken) throw new Error('the connection is broken');
      const mishap = this.#mishaps.shift() ?? 'none';
      const breaks = (): never => {
        isBroken = true;
        throw new Error('the connection broke');
      };
      await Promise.resolve();
      if (mishap === 'request_lost') breaks();
      if (mishap === 'cancelled') {
        isBroken = true;
        throw serverError({ code: '57014' });
      }
      if (mishap === 'taken_over') this.takeOver();
      // An insert of the same sequence, and a look, wait for a transaction that holds it.
      if (!isLook || mishap !== 'finished_late') this.#finish();
      if (mishap === 'finished_late' && !isLook) {
        this.#late.push(work);
        breaks();
      }
      work();
      if (mishap === 'answer_lost') breaks();
      if (mishap === 'taken_back' && this.rows.length > 1) this.rows.pop();
    };
    return {
      add: (entry, statements) => pass(() => this.#add(entry, statements), false),
      look: async (sequence) => {
        let look: LogLook | undefined;
        await pass(() => {
          look = this.#log.look(sequence);
        }, true);
        return look!;
      },
      end: async () => undefined,
    };
  }

  #finish(): void {
    const late = this.#late;
    this.#late = [];
    for (const work of late) {
      try {
        work();
      } catch {
        // Nobody hears of it.
      }
    }
  }

  #add({ sequence, term }: LogEntry, statements: readonly Statement[]): void {
    this.#log.add({ sequence, term, payload: statements[0]?.values[0] ?? null }, term);
  }
}
