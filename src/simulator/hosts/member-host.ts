// A machine among several on one database: a process with the production member, which makes it the leader or a
// follower. It is killed and started again, stands still, ends in order, and its way to the database is cut.

import { Member, type MemberClock } from '../../cluster/member.ts';
import type { Line, LineEars } from '../../cluster/line.ts';
import type { LeaderPlace } from '../../cluster/port.ts';
import type { TrunkClock } from '../../cluster/trunk.ts';
import { TrunkEnds } from '../../cluster/trunk-ends.ts';
import type { TrunkEars, TrunkPort } from '../../coordinator/port/trunk.ts';
import type { Store } from '../../store/store.ts';
import type { WriteBatch } from '../../store/rows.ts';
import type { LogPosition } from '../../store/membership.ts';
import type { LogTime } from '../../store/postgres/log/commit-log.ts';
import type { Clock } from '../clock.ts';
import type { Host } from '../host.ts';
import type { Prng } from '../prng.ts';
import type { Database } from './database.ts';
import type { Gateway } from './gateway.ts';
import type { HostFaults } from './host-faults.ts';
import type { LeaderTrunk } from './leader-trunk.ts';
import { createOutfitReading, type OutfitOptions } from './outfit-reading.ts';
import { SimMembership } from './sim-membership.ts';
import type { SimSocket } from './sim-socket.ts';
import { StoreLine } from './store-line.ts';

export interface MemberHostOptions {
  readonly name: string;
  readonly clock: Clock;
  readonly prng: Prng;
  readonly database: Database;
  readonly host: Host;
  readonly faults: () => HostFaults;
  /** Of what is read for devices that are here while another host leads. */
  readonly reads: OutfitOptions['faults'];
  readonly slowReads: OutfitOptions['slowReads'];
  readonly outfitPrng: Prng;
  readonly onUnreadable: (host: MemberHost, isDamaged: boolean) => void;
  readonly newTerm: () => string;
  readonly openLine: (from: MemberHost, place: LeaderPlace, ears: LineEars) => Line;
  /** What carries the connections of devices that end here. */
  readonly createGateway: (host: MemberHost, life: GatewayLife) => Gateway;
  /** What the trunk of another host carries. */
  readonly createTrunk: (host: MemberHost, socket: SimSocket) => LeaderTrunk;
  readonly onTakeOver: (by: MemberHost, from: LogPosition, term: string) => void;
  readonly onWritten: (by: MemberHost, batch: WriteBatch, term: string) => void;
  readonly onLost: (what: 'request' | 'answer') => void;
  readonly onSlow: (ms: number) => void;
  /** It is to stand still. */
  readonly onFrozen: (host: MemberHost, ms: number) => void;
  readonly onStarted: (host: MemberHost) => void;
  /** The process with this id has died; `isReset`: its machine has not, and says so. */
  readonly onDied: (host: MemberHost, id: string, isReset: boolean) => void;
  /** It leads no more; who was led to it must go elsewhere. */
  readonly onGone: (host: MemberHost) => void;
  readonly onFailed: (host: MemberHost, fault: Error) => void;
  /** Its writer had to wait for so long. */
  readonly onWaited: (host: MemberHost, ms: number) => void;
  readonly log: (line: string) => void;
}

/** Of one process. */
export interface GatewayLife {
  readonly isAlive: () => boolean;
  readonly outfitting: SimMembership['outfitting'];
  readonly setTimer: (at: number, fn: () => void) => () => void;
  readonly defer: (fn: () => void) => void;
}

const startAgainMs = 1_000;
const usualWaitMs = 1_000;

export class MemberHost {
  readonly name: string;
  readonly host: Host;
  member: Member | null = null;
  /** Of the process that runs, or ran last. */
  gateway: Gateway | null = null;
  /** Of other hosts, to this one. */
  private readonly trunks = new Set<LeaderTrunk>();
  /** When something last befell its trunks, or will be over. */
  trunksTroubledAt = -Infinity;
  private ends: TrunkEnds<SimSocket> | null = null;
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
  /** It ends in order. */
  isEnding = false;
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

  /** Its writer waits for the log, however short. */
  get isWriting(): boolean {
    return this.waits.size > 0;
  }

  start(): void {
    if (this.member !== null) return;
    const { name, prng, log } = this.options;
    const life = ++this.life;
    const membership = this.createMembership(life);
    const member = new Member({
      membership,
      self: { id: this.id, url: name, version: '1', mayLead: true },
      workers: () => this.gateway?.size ?? 0,
      openLine: (place, ears) => this.options.openLine(this, place, ears),
      lines: () => this.ends?.members ?? [],
      lead: (store) => this.lead(store),
      onTold: (_level, sentence) => log(`${name}: ${sentence}`),
      clock: this.memberClock(life),
    });
    this.member = member;
    const clock = this.trunkClock();
    this.gateway = this.options.createGateway(this, {
      isAlive: () => life === this.life,
      outfitting: membership.outfitting,
      setTimer: (at, fn) => clock.setTimer(at - this.options.clock.now, fn),
      defer: (fn) => clock.defer(fn),
    });
    this.trunks.clear();
    const begin = (socket: SimSocket) => {
      const trunk = this.options.createTrunk(this, socket);
      this.trunks.add(trunk);
      socket.once('close', () => this.trunks.delete(trunk));
      return trunk;
    };
    this.ends = new TrunkEnds({ cluster: member, version: '1', begin, clock });
    log(`${name}: starts`);
    this.touch();
    this.touchTrunks(0);
    this.options.onStarted(this);
    // Where nobody can look, the process ends and is started again.
    member.join().catch(() => {
      if (life !== this.life) return;
      this.crash();
      this.options.clock.after(startAgainMs + prng.next(), () => this.start());
    });
  }

  /** Kills the process, at any step. `isReset`: its machine goes on, and says so to whoever had a connection to it. */
  crash(isReset = true): void {
    if (this.member === null) return;
    const { id } = this;
    this.life++;
    this.member = null;
    this.isEnding = false;
    this.waits.clear();
    this.isLoading = false;
    this.touch();
    this.host.crash();
    this.options.log(`${this.name}: is killed`);
    this.gateway?.died();
    this.touchTrunks(0);
    this.options.onDied(this, id, isReset);
    this.options.onGone(this);
  }

  /** Ends in order: whoever comes next need not wait. */
  async close(): Promise<void> {
    const { member, life } = this;
    if (member === null || this.host.standsStill) return;
    this.isEnding = true;
    this.touch();
    this.options.log(`${this.name}: ends`);
    await member.close();
    if (life !== this.life) return;
    this.ends?.close('the coordinator stops');
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
    this.touchTrunks(stillMs);
    const { gateway } = this;
    this.options.clock.after(stillMs, () => gateway?.excuse());
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

  /** The same of its trunks: they may be shut, and need a moment to open again. */
  touchTrunks(ms: number): void {
    this.trunksTroubledAt = Math.max(this.trunksTroubledAt, this.options.clock.now + ms);
  }

  /** How many connections the open trunks carry here. */
  get carried(): number {
    return [...this.trunks].reduce((sum, { size }) => sum + size, 0);
  }

  /** Somebody asks for a trunk. */
  greet(socket: SimSocket): void {
    this.ends?.greet(socket);
  }

  beginTrunk(trunk: TrunkPort): TrunkEars {
    return this.gateway!.begin(trunk);
  }

  /** Calls when what the process does now is over, if it lives by then. */
  defer(fn: () => void): void {
    this.trunkClock().defer(fn);
  }

  /** Of the process that runs now. */
  trunkClock(): TrunkClock {
    const clock = this.memberClock(this.life);
    return {
      setTimer: (ms, fn) => clock.setTimer(ms, fn),
      often: (ms, fn) => often(clock, ms, fn),
      defer: (fn) => void clock.setTimer(0, fn),
    };
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
    if (life === this.life) this.gateway?.giveUp();
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
      often: (ms, fn) => often(own, ms, fn),
      loadMs: () => prng.spread(...faults().loadMs),
      outfitting: (store, isUp) =>
        createOutfitReading(store, {
          prng: this.options.outfitPrng,
          faults: this.options.reads,
          slowReads: this.options.slowReads,
          isUp,
          pause: (ms) => time.sleep(ms),
          onUnreadable: (isDamaged) => {
            if (isAlive()) this.options.onUnreadable(this, isDamaged);
          },
        }),
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

/** Calls again and again; returns what ends it. */
function often(clock: MemberClock, ms: number, fn: () => void): () => void {
  let isOver = false;
  const again = () =>
    void clock.setTimer(ms, () => {
      if (isOver) return;
      fn();
      again();
    });
  again();
  return () => {
    isOver = true;
  };
}
