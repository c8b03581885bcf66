// A coordinator among others: looks at the log of commits, follows whoever leads, takes over when nobody does, and
// gives way when it was shut out. What leading means is handed in.

import type { ClusterResource } from '../protocol/cluster.ts';
import type { ClusterLook, CoordinatorRow, Membership } from '../store/membership.ts';
import { type Store, StoreFault } from '../store/store.ts';
import { isAlive, othersOf, toResource } from './cluster-resource.ts';
import { type Chance, Contention, type ContentionSettings } from './contention.ts';
import { DatabaseClock } from './database-clock.ts';
import type { Line, OpenLine } from './line.ts';
import { Oddity } from './oddity.ts';
import type { ClusterFigures, ClusterPort, LeaderPlace, Role } from './port.ts';

const lookMs = 500;
const seenMs = 1_000;
/** Longer than the database has for one answer, and the pause behind it. */
const cutOffMs = 4_000;
/** For so long whoever could not go on lets all others try first. */
const modestMs = 30_000;
/** For so long fewer than half of the others may reach the leader; twice as long after each term that ended so. */
const lonelyMs = 10_000;
const mostLonelyMs = 600_000;

export interface Leadership {
  /** Resolves when it cannot go on. */
  readonly failed: Promise<Error>;
  /** Finishes what is in hand; nothing is answered or written any more. */
  stop(): Promise<void>;
}

/** With what a leadership begins. */
export interface Accession {
  /** Milliseconds since the epoch by the clock of the database, at any moment. */
  readonly databaseNow: () => number;
  readonly epoch: number;
}

export interface MemberClock {
  /** Milliseconds of a clock that only rises. */
  now(): number;
  /** Calls once, later; returns what cancels it. */
  setTimer(ms: number, fn: () => void): () => void;
}

export interface MemberOptions {
  readonly membership: Membership;
  readonly self: Pick<CoordinatorRow, 'id' | 'url' | 'version' | 'mayLead'>;
  /** Whose sockets are here. */
  readonly workers: () => number;
  readonly openLine: OpenLine;
  /** Ids of the members whose lines to this one are open. */
  readonly lines: () => readonly string[];
  /** Resolves when it is in force. The store is closed by who asks, after the end. */
  readonly lead: (store: Store, accession: Accession) => Promise<Leadership>;
  readonly onTold: (level: 'info' | 'warn', sentence: string) => void;
  readonly settings?: ContentionSettings;
  readonly clock?: MemberClock;
}

const realClock: MemberClock = {
  now: () => performance.now(),
  setTimer: (ms, fn) => {
    const timer = setTimeout(fn, ms);
    return () => clearTimeout(timer);
  },
};

const why: Readonly<Record<Chance['because'], string>> = {
  ended: 'the one before has resigned, or there was none',
  stood_still: 'nothing was heard of the one before',
  refused: 'the one before cannot be reached',
};

export class Member implements ClusterPort {
  readonly member: string;
  readonly secret: string;
  readonly #options: MemberOptions;
  readonly #clock: MemberClock;
  readonly #contention: Contention;
  readonly #databaseClock: DatabaseClock;
  #role: Role = 'joining';
  #look: ClusterLook | undefined;
  #leader: LeaderPlace | null = null;
  #line: Line | undefined;
  #seenAt = -Infinity;
  /** When the database has answered. */
  #answeredAt = -Infinity;
  /** When it could not go on as the leader. */
  #failedAt = -Infinity;
  #takeovers = 0;
  #ownTerm: string | null = null;
  /** Whoever waits for a leader. */
  readonly #waiting = new Set<() => void>();
  #wake: () => void = () => undefined;
  /** Looks that failed in a row are told of once. */
  #isBlind = false;
  #isClosed = false;
  #running: Promise<void> | undefined;
  /** Ends with the leadership. */
  #leading: Promise<void> | undefined;
  #resign: (because?: 'lonely') => void = () => undefined;
  /** Since when too few of the others reach this leader. */
  #lonelySince: number | undefined;
  readonly #unreached: Oddity;
  readonly #twin: Oddity;

  constructor(options: MemberOptions) {
    this.#options = options;
    this.#clock = options.clock ?? realClock;
    this.#contention = new Contention(options.settings);
    this.#databaseClock = new DatabaseClock(() => this.#clock.now());
    this.#unreached = new Oddity(() => this.#clock.now());
    this.#twin = new Oddity(() => this.#clock.now());
    this.member = options.self.id;
    this.secret = options.membership.secret;
  }

  get role(): Role {
    return this.#role;
  }

  get leader(): LeaderPlace | null {
    return this.#leader;
  }

  /** Whether requests are well sent here. */
  get isReady(): boolean {
    return this.#role === 'leading' || (this.#leader !== null && this.#line?.isOpen === true);
  }

  get isCutOff(): boolean {
    return this.#clock.now() - this.#answeredAt >= cutOffMs;
  }

  /** Nobody is served without a token, as the database said last. */
  get needsTokens(): boolean {
    return this.#look?.needsTokens ?? true;
  }

  /** Milliseconds since the epoch, known since the first look. */
  get databaseNow(): number {
    return this.#databaseClock.now();
  }

  get ownTerm(): string | null {
    return this.#ownTerm;
  }

  get figures(): ClusterFigures {
    return {
      epoch: this.#look?.term.epoch ?? 0,
      takeovers: this.#takeovers,
      membersAlive: this.#alive,
    };
  }

  /** Where the other members that are alive are reached, best first. */
  get others(): readonly string[] {
    return this.#look === undefined ? [] : othersOf(this.#look, this.member);
  }

  /** Members that were seen within the last seconds. */
  get #alive(): number {
    const look = this.#look;
    return look === undefined ? 0 : look.coordinators.filter((row) => isAlive(row, look)).length;
  }

  /** Resolves after the first look. Throws `StoreFault` when that fails. */
  async join(): Promise<void> {
    const look = await this.#lookAtAll();
    await this.#beSeen();
    this.#setRole('following');
    this.#saw(look);
    this.#running = this.#run();
  }

  settled(ms: number, past?: string): Promise<void> {
    const isSettled = () =>
      this.#role === 'leading' || (this.isReady && this.#leader?.term !== past);
    if (isSettled()) return Promise.resolve();
    return new Promise((resolve) => {
      const end = () => {
        cancel();
        this.#waiting.delete(look);
        resolve();
      };
      const look = () => {
        if (isSettled()) end();
      };
      const cancel = this.#clock.setTimer(ms, end);
      this.#waiting.add(look);
    });
  }

  async resource(): Promise<ClusterResource> {
    const look = await this.#options.membership.look();
    return toResource(look, { id: this.member, role: this.#role });
  }

  /** Leads no more, and lets others do it; what comes is still passed on. */
  async leave(): Promise<void> {
    this.#setRole('leaving');
    this.#resign();
    await this.#leading;
    this.#wake();
  }

  /** Looks no more, and is not seen any more. */
  async close(): Promise<void> {
    await this.leave();
    this.#isClosed = true;
    this.#wake();
    this.#line?.close();
    await this.#running;
    await this.#options.membership.leave(this.member);
    await this.#options.membership.close();
  }

  async #run(): Promise<void> {
    while (!this.#isClosed) {
      await this.#pause();
      if (this.#isClosed) return;
      await this.#step();
    }
  }

  async #step(): Promise<void> {
    let look: ClusterLook;
    try {
      look = await this.#lookAtAll();
      if (this.#clock.now() - this.#seenAt >= seenMs) await this.#beSeen();
    } catch (error) {
      this.#contention.failedToRead();
      if (!this.#isBlind)
        this.#tell('warn', `The cluster cannot be looked at: ${sentenceOf(error)}`);
      this.#isBlind = true;
      return;
    }
    if (this.#isBlind) this.#tell('info', 'The cluster can be looked at again.');
    this.#isBlind = false;
    if (this.#isClosed) return;
    this.#saw(look);
    this.#tellOddities(look);
    this.#tryToLead(look);
    if (this.#role === 'leading') this.#endIfLonely(look);
  }

  async #lookAtAll(): Promise<ClusterLook> {
    const askedAt = this.#clock.now();
    const look = await this.#options.membership.look();
    this.#databaseClock.heard(look.at, askedAt);
    this.#answeredAt = this.#clock.now();
    return look;
  }

  async #beSeen(): Promise<void> {
    const { membership, self, workers } = this.#options;
    this.#seenAt = this.#clock.now();
    await membership.beSeen({ ...self, workers: workers() });
    this.#answeredAt = this.#clock.now();
  }

  #saw(look: ClusterLook): void {
    this.#look = look;
    this.#contention.saw(look.position, this.#clock.now());
    const { coordinator, id: term } = look.term;
    const isOther = coordinator !== null && coordinator.id !== this.member;
    const leader =
      isOther && !look.position.isOver
        ? { url: coordinator.url, term, member: coordinator.id }
        : null;
    if (leader?.term === this.#leader?.term) return;
    this.#leader = leader;
    this.#line?.close();
    this.#line = leader === null ? undefined : this.#openLine(leader);
    if (leader !== null) this.#tell('info', `The coordinator at ${leader.url} leads.`);
    this.#told();
  }

  /** What only an operator can mend. */
  #tellOddities(look: ClusterLook): void {
    const [leader, line] = [this.#leader, this.#line];
    const isUnreached = leader !== null && line?.isOpen !== true && this.#role !== 'leading';
    if (this.#unreached.isNews(isUnreached ? leader.term : undefined)) {
      const trouble = line?.trouble ?? 'it does not answer';
      const sentence = `The coordinator at ${leader!.url} leads, and is out of reach: ${trouble}.`;
      this.#tell('warn', sentence);
    }
    const { url } = this.#options.self;
    const twin = look.coordinators.find(
      (row) => row.url === url && row.id !== this.member && isAlive(row, look),
    );
    if (this.#twin.isNews(twin?.id)) {
      const sentence = `Another coordinator says that it is reached at ${url} as well: give each an address of its own (--advertise).`;
      this.#tell('warn', sentence);
    }
  }

  #openLine(leader: LeaderPlace): Line {
    const { term } = leader;
    return this.#options.openLine(leader, {
      onOpen: () => {
        this.#contention.reached();
        this.#told();
      },
      onReset: () => {
        this.#contention.lineReset(term);
        this.#wake();
      },
      onRefused: () => {
        this.#contention.refused(term);
        this.#wake();
      },
    });
  }

  #tryToLead(look: ClusterLook): void {
    if (this.#role !== 'following' || !this.#options.self.mayLead || this.#leading !== undefined)
      return;
    const chance = this.#contention.chance(this.#clock.now(), {
      rank: this.#rank(look),
      recentTerms: look.recentTerms,
    });
    if (chance === null) return;
    this.#leading = this.#lead(chance, look).finally(() => {
      this.#leading = undefined;
      this.#contention.lost();
    });
  }

  /** Whoever cannot be reached is of no use to the others, though it writes: one of them may do better. */
  #endIfLonely(look: ClusterLook): void {
    const lines = new Set(this.#options.lines());
    const others = look.coordinators.filter((row) => row.id !== this.member && isAlive(row, look));
    const reached = others.filter(({ id }) => lines.has(id)).length;
    const now = this.#clock.now();
    if (reached * 2 >= others.length) {
      this.#lonelySince = undefined;
      return;
    }
    this.#lonelySince ??= now;
    const patience = Math.min(mostLonelyMs, lonelyMs * 2 ** look.lonelyTerms);
    if (now - this.#lonelySince >= patience) this.#resign('lonely');
  }

  /** Members that are there and come before this one; whoever has led is what is being waited for. */
  #rank(look: ClusterLook): number {
    const before = look.coordinators.filter(
      (row) =>
        row.id < this.member &&
        row.mayLead &&
        row.id !== look.term.coordinator?.id &&
        isAlive(row, look),
    );
    const isModest = this.#clock.now() - this.#failedAt < modestMs;
    return before.length + (isModest ? this.#alive : 0);
  }

  async #lead({ from, because }: Chance, look: ClusterLook): Promise<void> {
    const { membership, self, lead } = this.#options;
    this.#setRole('contending');
    let store: Store | undefined;
    try {
      const taken = await membership.takeOver(from, self);
      ({ store } = taken);
      this.#ownTerm = taken.term;
      const epoch = look.term.epoch + 1;
      const leadership = await lead(store, { databaseNow: () => this.databaseNow, epoch });
      const sentence = `This coordinator leads now (epoch ${epoch}): ${why[because]}.`;
      const failed = Promise.race([leadership.failed, taken.failed]);
      const level = because === 'ended' ? 'info' : 'warn';
      const stop = () => leadership.stop();
      const end = await this.#reign({ failed, stop }, level, sentence);
      if (end === 'lonely') await taken.endAsLonely();
    } catch (error) {
      const isLate = error instanceof StoreFault && error.code === 'store_locked';
      if (!isLate) {
        this.#failedAt = this.#clock.now();
        this.#tell('warn', `This coordinator could not lead: ${sentenceOf(error)}`);
      }
    } finally {
      if (this.#role !== 'leaving') this.#setRole('following');
      this.#ownTerm = null;
      await store?.close().catch(() => undefined);
    }
  }

  /** Resolves when it is over. */
  async #reign(
    leadership: Leadership,
    level: 'info' | 'warn',
    sentence: string,
  ): Promise<'lonely' | undefined> {
    let end: Error | 'lonely' | undefined;
    if (this.#role !== 'leaving') {
      this.#takeovers++;
      this.#lonelySince = undefined;
      this.#tell(level, sentence);
      this.#setRole('leading');
      const resigned = new Promise<'lonely' | undefined>((resolve) => {
        this.#resign = resolve;
      });
      end = await Promise.race([leadership.failed, resigned]);
    }
    if (end !== undefined) {
      this.#failedAt = this.#clock.now();
      const reason = end === 'lonely' ? 'most of the others do not reach it' : sentenceOf(end);
      this.#tell('warn', `This coordinator leads no more: ${reason}`);
    }
    // Who asks meanwhile waits for the next leader.
    if (this.#role === 'leading') this.#setRole('following');
    await leadership.stop();
    return end === 'lonely' ? end : undefined;
  }

  #setRole(role: Role): void {
    this.#role = role;
    this.#told();
  }

  #told(): void {
    for (const look of this.#waiting) look();
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#clock.setTimer(lookMs, resolve);
      this.#wake = () => {
        cancel();
        resolve();
      };
    });
  }

  #tell(level: 'info' | 'warn', sentence: string): void {
    this.#options.onTold(level, sentence);
  }
}

function sentenceOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
