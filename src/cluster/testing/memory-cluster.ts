// A database in memory as the members of a cluster see it, in virtual time.

import type {
  ClusterLook,
  CoordinatorRow,
  LogPosition,
  Membership,
  TakenOver,
} from '../../store/membership.ts';
import { type Store, StoreFault } from '../../store/store.ts';
import type { MemberClock } from '../member.ts';

/** Turns of the event loop in which all that follows of one moment has happened. */
const turns = 20;
const beatMs = 1_000;

export class VirtualClock implements MemberClock {
  #now = 0;
  readonly #timers = new Set<{ readonly at: number; readonly fn: () => void }>();

  now(): number {
    return this.#now;
  }

  setTimer(ms: number, fn: () => void): () => void {
    const timer = { at: this.#now + Math.max(0, ms), fn };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  wait(ms: number): Promise<void> {
    return new Promise((resolve) => this.setTimer(ms, resolve));
  }

  async run(ms: number): Promise<void> {
    const end = this.#now + ms;
    await this.#settle();
    for (;;) {
      const [next] = [...this.#timers].toSorted((a, b) => a.at - b.at);
      if (next === undefined || next.at > end) break;
      this.#timers.delete(next);
      this.#now = Math.max(this.#now, next.at);
      next.fn();
      await this.#settle();
    }
    this.#now = end;
  }

  async #settle(): Promise<void> {
    for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate);
  }
}

interface Term {
  readonly id: string;
  readonly member: string;
  readonly since: number;
  ended: string | null;
}

export class MemoryCluster {
  /** Nothing can be read or written. */
  isAway = false;
  /** Each answer takes so long. */
  answerMs = 0;
  /** Its clock is ahead of that of the members by so much. */
  aheadMs = 0;
  readonly terms: Term[] = [];
  readonly #clock: VirtualClock;
  readonly #members = new Map<string, CoordinatorRow>();
  readonly #dead = new Set<string>();
  readonly #cutOff = new Set<string>();
  readonly #fails = new Map<string, (fault: Error) => void>();
  readonly #reads = new Map<string, { sequence: number; at: number }[]>();
  #sequence = 0;
  #stopBeat: () => void = () => undefined;

  constructor(clock: VirtualClock) {
    this.#clock = clock;
  }

  get newest(): LogPosition {
    const term = this.terms.at(-1);
    return { sequence: this.#sequence, term: term?.id ?? 'none', isOver: term?.ended !== null };
  }

  get #now(): number {
    return this.#clock.now() + this.aheadMs;
  }

  /** The leader commits. */
  beat(): void {
    this.#sequence++;
  }

  kill(id: string): void {
    this.#dead.add(id);
    if (this.terms.at(-1)?.member === id) this.#stopBeat();
  }

  /** Its connection to the log is broken: it does not even say goodbye. */
  cutOff(id: string): void {
    this.#cutOff.add(id);
    if (this.terms.at(-1)?.member === id) this.#stopBeat();
  }

  /** It cannot write any more, and a sign of life was what found that out. */
  shutOut(id: string, fault: Error): void {
    this.cutOff(id);
    this.#fails.get(id)!(fault);
  }

  readsOf(id: string): readonly { readonly sequence: number; readonly at: number }[] {
    return this.#reads.get(id) ?? [];
  }

  membership(id: string): Membership {
    const ask = async () => {
      // Whoever is dead hears nothing any more.
      if (this.#dead.has(id)) await new Promise(() => undefined);
      if (this.answerMs > 0) await this.#clock.wait(this.answerMs);
      if (this.isAway) throw new StoreFault('store_read_failed', 'The database does not answer.');
    };
    return {
      secret: 'secret',
      reading: undefined as never,
      outfitting: undefined as never,
      stagingOf: () => undefined as never,
      look: async () => {
        await ask();
        const reads = this.#reads.get(id) ?? [];
        this.#reads.set(id, reads);
        if (reads.at(-1)?.sequence !== this.#sequence) {
          reads.push({ sequence: this.#sequence, at: this.#clock.now() });
        }
        return this.#look();
      },
      beSeen: async (row) => {
        await ask();
        this.#members.set(row.id, { ...row, seenAt: this.#now });
      },
      takeOver: async (from) => {
        await ask();
        return this.#takeOver(id, from);
      },
      leave: async () => void this.#members.delete(id),
      close: async () => undefined,
    };
  }

  #look(): ClusterLook {
    const at = this.#now;
    const term = this.terms.at(-1);
    return {
      position: this.newest,
      term: {
        id: term?.id ?? 'none',
        epoch: this.terms.length,
        since: term?.since ?? null,
        ended: term?.ended ?? null,
        coordinator: term === undefined ? null : { id: term.member, url: `http://${term.member}` },
      },
      recentTerms: this.terms.filter(({ since }) => at - since < 60_000).length,
      coordinators: [...this.#members.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1)),
      at,
      needsTokens: false,
      lonelyTerms: this.terms.filter(({ ended }) => ended === 'lonely').length,
    };
  }

  #takeOver(member: string, from: LogPosition): TakenOver {
    const { sequence, term: seen } = this.newest;
    if (from.sequence !== sequence || from.term !== seen) {
      throw new StoreFault('store_locked', 'Another coordinator was quicker.');
    }
    this.#stopBeat();
    const term: Term = {
      id: `term-${this.terms.length + 1}`,
      member,
      since: this.#now,
      ended: null,
    };
    this.terms.push(term);
    this.#sequence++;
    this.#beatFor(term);
    const close = async () => {
      if (this.#cutOff.delete(member)) return;
      if (this.terms.at(-1) !== term || term.ended !== null) return;
      this.#stopBeat();
      this.#sequence++;
      term.ended = 'resigned';
    };
    const endAsLonely = async () => {
      if (term.ended !== null) return;
      await close();
      term.ended = 'lonely';
    };
    const failed = new Promise<Error>((resolve) => this.#fails.set(member, resolve));
    return { store: { close } as unknown as Store, term: term.id, failed, endAsLonely };
  }

  #beatFor(term: Term): void {
    this.#stopBeat = this.#clock.setTimer(beatMs, () => {
      this.#sequence++;
      this.#beatFor(term);
    });
  }
}
