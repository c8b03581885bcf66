// The one database of several hosts: the rows on the shared disk behind a log of commits, what the terms are, and who was
// seen. A transaction holds the log until it ends; the next one waits for it, as on a server.

import type { ClusterLook, CoordinatorRow, LogPosition, TermLook } from '../../store/membership.ts';
import { StoreFault } from '../../store/store.ts';
import type { LogLook, LogPlace } from '../../store/postgres/log/log-session.ts';
import { LogInMemory } from '../../store/postgres/log/log-in-memory.ts';
import type { Clock } from '../clock.ts';

/** The database was away while the call was there. */
export class GoneAway extends Error {
  override readonly name = 'GoneAway';
}

export interface DatabaseRow extends LogPlace {
  /** Sequence of the newest batch. */
  readonly batch: number;
}

export interface Addition {
  readonly row: DatabaseRow;
  readonly termBefore: string;
  /** How long the transaction lasts; 0: no time at all. */
  readonly lastsMs: number;
  readonly write: () => void;
}

const lockTimeoutMs = 500;
const recentMs = 60_000;

const hourMs = 3_600_000;

export class Database {
  readonly log = new LogInMemory<DatabaseRow>({ sequence: 0, term: 'none', batch: 0 });
  isAway = false;
  /** When it came back last, and how long it had been away. */
  cameBackAt = -Infinity;
  wasAwayForMs = 0;
  #wentAwayAt = -Infinity;
  readonly #clock: Clock;
  readonly #onEnded: (term: string, why: string) => void;
  readonly #terms = new Map<string, TermLook>();
  readonly #coordinators = new Map<string, CoordinatorRow>();
  #isLocked = false;
  /** Ends the transaction that takes its time. */
  #cut: ((isWritten: boolean) => void) | null = null;
  #waiting: ((isMine: boolean) => void)[] = [];

  constructor(clock: Clock, onEnded: (term: string, why: string) => void) {
    this.#clock = clock;
    this.#onEnded = onEnded;
  }

  get position(): LogPosition {
    const { sequence, term } = this.log.newest;
    return { sequence, term, isOver: this.#termOf(term).ended !== null };
  }

  /** How many terms there were. */
  get terms(): number {
    return this.#terms.size;
  }

  look(): ClusterLook {
    const at = this.#clock.now;
    const { position } = this;
    const recent = [...this.#terms.values()].filter(({ since }) => (since ?? 0) > at - recentMs);
    return {
      position,
      term: this.#termOf(position.term),
      recentTerms: recent.length,
      lonelyTerms: this.#countLonely(at),
      coordinators: [...this.#coordinators.values()].sort((a, b) => (a.id < b.id ? -1 : 1)),
      at,
      needsTokens: false,
    };
  }

  #countLonely(at: number): number {
    const all = [...this.#terms.values()];
    return all.filter(({ ended, since }) => ended === 'lonely' && (since ?? 0) > at - hourMs)
      .length;
  }

  beSeen(self: Omit<CoordinatorRow, 'seenAt'>): void {
    this.#coordinators.set(self.id, { ...self, seenAt: this.#clock.now });
  }

  leave(id: string): void {
    this.#coordinators.delete(id);
  }

  /** The row of a sequence, and the newest. A transaction that still works is not seen. */
  find(sequence: number): LogLook {
    return this.log.look(sequence);
  }

  /** Adds a row of the log, and writes with it. Rejects as a server does. */
  async add(addition: Addition): Promise<void> {
    await this.#lock(Infinity);
    await this.#transact(addition);
  }

  /** Throws `store_locked` when somebody lives, or was quicker. */
  async takeOver(
    from: LogPosition,
    term: string,
    coordinator: Pick<CoordinatorRow, 'id' | 'url'>,
  ): Promise<DatabaseRow> {
    const isFree = await this.#lock(lockTimeoutMs);
    if (!isFree) throw busy();
    const row = { sequence: from.sequence + 1, term, batch: this.log.newest.batch };
    const epoch = Math.max(0, ...[...this.#terms.values()].map((each) => each.epoch)) + 1;
    const { id, url } = coordinator;
    try {
      await this.#transact({
        row,
        termBefore: from.term,
        lastsMs: 0,
        write: () => {
          const since = this.#clock.now;
          this.#terms.set(term, { id: term, epoch, since, ended: null, coordinator: { id, url } });
        },
      });
    } catch (error) {
      throw error instanceof GoneAway ? error : busy();
    }
    return row;
  }

  /** A term says that it has ended. */
  end(term: string, ended: string): void {
    this.#terms.set(term, { ...this.#termOf(term), ended });
    this.#onEnded(term, ended);
  }

  /** Away for everybody. What is in hand is written, or lost. */
  goAway(ms: number, isWritten: () => boolean): void {
    if (this.isAway) return;
    this.isAway = true;
    this.#wentAwayAt = this.#clock.now;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const tell of waiting) tell(false);
    this.#cut?.(isWritten());
    this.#clock.after(ms, () => this.comeBack());
  }

  comeBack(): void {
    if (!this.isAway) return;
    this.isAway = false;
    this.cameBackAt = this.#clock.now;
    this.wasAwayForMs = this.cameBackAt - this.#wentAwayAt;
  }

  async #transact({ row, termBefore, lastsMs, write }: Addition): Promise<void> {
    try {
      this.log.check(row, termBefore);
      if (lastsMs > 0) await this.#last(lastsMs);
      this.log.add(row, termBefore);
      write();
    } finally {
      this.#cut = null;
      const next = this.#waiting.shift();
      this.#isLocked = next !== undefined;
      next?.(true);
    }
  }

  #last(ms: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const cancel = this.#clock.after(ms, resolve);
      this.#cut = (isWritten) => {
        cancel();
        if (isWritten) resolve();
        else reject(new GoneAway());
      };
    });
  }

  /** False when somebody else has had it for so long. */
  #lock(patienceMs: number): Promise<boolean> {
    if (!this.#isLocked) {
      this.#isLocked = true;
      return Promise.resolve(true);
    }
    return new Promise((resolve, reject) => {
      const tell = (isMine: boolean) => {
        if (isMine) resolve(true);
        else reject(new GoneAway());
      };
      this.#waiting.push(tell);
      if (patienceMs === Infinity) return;
      this.#clock.after(patienceMs, () => {
        const place = this.#waiting.indexOf(tell);
        if (place === -1) return;
        this.#waiting.splice(place, 1);
        resolve(false);
      });
    });
  }

  #termOf(id: string): TermLook {
    return (
      this.#terms.get(id) ?? { id, epoch: 0, since: null, ended: 'never begun', coordinator: null }
    );
  }
}

function busy(): StoreFault {
  return new StoreFault('store_locked', 'Another coordinator works on the simulated database.');
}
