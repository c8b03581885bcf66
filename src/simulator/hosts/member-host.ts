// A machine among several on one database: a process with the production member, which makes it the leader or a
// follower. It is killed and started again, stands still, ends in order, and its way to the database is cut.

import { Member, type MemberClock } from '../../cluster/member.ts';
import type { Line, LineEars } from '../../cluster/line.ts';
import type { LeaderPlace } from '../../cluster/port.ts';
import type { Store } from '../../store/store.ts';
import type { WriteBatch } from '../../store/rows.ts';
import type { LogPosition } from '../../store/membership.ts';
import type { LogTime } from '../../store/postgres/log/commit-log.ts';
import type { Clock } from '../clock.ts';
import type { Host } from '../host.ts';
import type { Prng } from '../prng.ts';
import type { Database } from './database.ts';
import type { HostFaults } from './host-faults.ts';
import { SimMembership } from './sim-membership.ts';
import { StoreLine } from './store-line.ts';

export interface MemberHostOptions {
  readonly name: string;
  readonly clock: Clock;
  readonly prng: Prng;
  readonly database: Database;
  readonly host: Host;
  readonly faults: () => HostFaults;
  readonly newTerm: () => string;
  readonly openLine: (from: MemberHost, place: LeaderPlace, ears: LineEars) => Line;
  readonly linesTo: (member: string) => readonly string[];
  readonly onTakeOver: (by: MemberHost, from: LogPosition, term: string) => void;
  readonly onWritten: (by: MemberHost, batch: WriteBatch, term: string) => void;
  readonly onLost: (what: 'request' | 'answer') => void;
  readonly onSlow: (ms: number) => void;
  /** It is to stand still. */
  readonly onFrozen: (host: MemberHost, ms: number) => void;
  /** It leads no more; who was led to it must go elsewhere. */
  readonly onGone: (host: MemberHost) => void;
  readonly onFailed: (host: MemberHost, fault: Error) => void;
  /** Its writer had to wait for so long. */
  readonly onWaited: (host: MemberHost, ms: number) => void;
  readonly log: (line: string) => void;
}

const startAgainMs = 1_000;
const usualWaitMs = 1_000;

export class MemberHost {
  readonly name: string;
  readonly host: Host;
  member: Member | null = null;
  /** The newest term in which it has led, or is about to. */
  term: string | null = null;
  /** Since when the writer waits for the log; several may wait. */
  private readonly waits = new Set<{ readonly since: number }>();
  /** When something last befell it that excuses that somebody else takes over. */
  troubledAt = -Infinity;
  /** Terms of others that were heard to refuse. */
  readonly refused = new Set<string>();
  cutUntil = -Infinity;
  /** It has taken over, and reads what is stored. */
  isLoading = false;
  private readonly options: MemberHostOptions;
  private life = 0;

  constructor(options: MemberHostOptions) {
    this.options = options;
    this.name = options.name;
    this.host = options.host;
  }

  get isAlive(): boolean {
    return this.member !== null;
  }

  get isLeading(): boolean {
    return this.host.coordinator !== null;
  }

  /** Id of its process. */
  get id(): string {
    return `${this.name}-${String(this.life).padStart(4, '0')}`;
  }

  /** Its writer waits for the log, and has waited for longer than it does when all is well. */
  get isHeldUp(): boolean {
    const { now } = this.options.clock;
    return [...this.waits].some(({ since }) => now - since > usualWaitMs);
  }

  start(): void {
    if (this.member !== null) return;
    const { name, prng, log } = this.options;
    const life = ++this.life;
    const member = new Member({
      membership: this.createMembership(life),
      self: { id: this.id, url: name, version: '1', mayLead: true },
      workers: () => 0,
      openLine: (place, ears) => this.options.openLine(this, place, ears),
      lines: () => this.options.linesTo(this.id),
      lead: (store) => this.lead(store),
      onTold: (_level, sentence) => log(`${name}: ${sentence}`),
      clock: this.memberClock(life),
    });
    this.member = member;
    log(`${name}: starts`);
    this.touch();
    // Where nobody can look, the process ends and is started again.
    member.join().catch(() => {
      if (life !== this.life) return;
      this.crash();
      this.options.clock.after(startAgainMs + prng.next(), () => this.start());
    });
  }

  /** Kills the process, at any step. */
  crash(): void {
    if (this.member === null) return;
    this.life++;
    this.member = null;
    this.waits.clear();
    this.isLoading = false;
    this.touch();
    this.host.crash();
    this.options.log(`${this.name}: is killed`);
    this.options.onGone(this);
  }

  /** Ends in order: whoever comes next need not wait. */
  async close(): Promise<void> {
    const { member, life } = this;
    if (member === null || this.host.standsStill) return;
    this.touch();
    this.options.log(`${this.name}: ends`);
    await member.close();
    if (life !== this.life) return;
    this.crash();
  }

  /** Returns for how long it reads nothing. */
  freeze(ms: number): number {
    if (this.member === null || this.host.standsStill) return 0;
    const { prng } = this.options;
    const first = prng.chance(0.7) ? 'timers' : 'messages';
    this.options.log(`${this.name}: stands still for ${(ms / 1000).toFixed(1)} s`);
    const stillMs = this.host.standstill.begin(ms, first, prng.spread(0.1, 50));
    this.touch(stillMs);
    return stillMs;
  }

  cut(ms: number): void {
    this.options.log(`${this.name}: cut off from the database for ${(ms / 1000).toFixed(1)} s`);
    this.cutUntil = Math.max(this.cutUntil, this.options.clock.now + ms);
    this.touch(ms);
  }

  /** Something befalls it until so much later. */
  touch(ms = 0): void {
    this.troubledAt = Math.max(this.troubledAt, this.options.clock.now + ms);
  }

  private async waiting<T>(work: Promise<T>, isAlive: () => boolean): Promise<T> {
    const { clock, onWaited } = this.options;
    const wait = { since: clock.now };
    this.waits.add(wait);
    try {
      return await work;
    } finally {
      if (isAlive()) {
        this.waits.delete(wait);
        const ms = clock.now - wait.since;
        if (ms > usualWaitMs) onWaited(this, ms);
      }
    }
  }

  private async lead(store: Store) {
    const { life } = this;
    this.isLoading = true;
    const leadership = await this.host.lead(store).finally(() => {
      if (life === this.life) this.isLoading = false;
    });
    const gone = () => {
      this.touch();
      this.options.onGone(this);
    };
    void leadership.failed.then((fault) => {
      this.options.onFailed(this, fault);
      gone();
    });
    return {
      failed: leadership.failed,
      stop: async () => {
        gone();
        await leadership.stop();
      },
    };
  }

  private createMembership(life: number): SimMembership {
    const { clock, prng, database, host, faults, newTerm, onTakeOver, log } = this.options;
    const { standstill } = host;
    const isAlive = () => life === this.life;
    const line = new StoreLine({
      clock,
      prng,
      database,
      standstill,
      faults,
      isAlive,
      isCut: () => clock.now < this.cutUntil,
      onLost: (what) => {
        this.touch();
        this.options.onLost(what);
      },
      onSlow: (ms) => {
        this.touch(ms);
        this.options.onSlow(ms);
      },
      onFrozen: (ms) => this.options.onFrozen(this, ms),
    });
    const own = this.memberClock(life);
    const time: LogTime = {
      now: () => clock.now,
      sleep: (ms) => new Promise((resolve) => void own.setTimer(ms, resolve)),
    };
    return new SimMembership({
      database,
      disk: host.disk,
      line,
      time,
      often: (ms, fn) => {
        let isOver = false;
        const again = () =>
          void own.setTimer(ms, () => {
            if (isOver) return;
            fn();
            again();
          });
        again();
        return () => {
          isOver = true;
        };
      },
      loadMs: () => prng.spread(...faults().loadMs),
      newTerm,
      onTakeOver: (from, term) => {
        if (isAlive()) this.term = term;
        onTakeOver(this, from, term);
      },
      waiting: (work) => this.waiting(work, isAlive),
      onWritten: (batch, term) => this.options.onWritten(this, batch, term),
      log: (sentence) => log(`${this.name}: ${sentence}`),
    });
  }

  private memberClock(life: number): MemberClock {
    const { clock, host } = this.options;
    return {
      now: () => clock.now,
      setTimer: (ms, fn) => {
        let isCancelled = false;
        const cancel = clock.after(ms, () =>
          host.standstill.run(() => {
            if (!isCancelled && life === this.life) fn();
          }),
        );
        return () => {
          isCancelled = true;
          cancel();
        };
      },
    };
  }
}
