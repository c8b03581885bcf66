// Several hosts on one database, as the rest of the world sees them: a load balancer leads to any of them, and one that
// follows serves the sockets of devices by its trunk, and passes on all else to the leader. What the checkers hear is what happens in the newest term of the log: who was shut out
// and does not know it yet is as good as dead to them, but for what still leaves it.

import type { RunningCoordinator } from '../../coordinator/coordinator.ts';
import type { Bearer } from '../../coordinator/port/tokens.ts';
import type { WorkerSession } from '../../coordinator/port/workers.ts';
import { createMemoryDisk } from '../../store/memory/memory-disk.ts';
import type { LogPosition } from '../../store/membership.ts';
import type { StoreFault } from '../../store/store.ts';
import type { WriterChecker } from '../checkers/writer-checker.ts';
import type { Clock } from '../clock.ts';
import { Committed, Host, type HostOptions, idOf } from '../host.ts';
import type { Machine, Sink } from '../machine.ts';
import type { SentMessage } from '../../coordinator/workers/sessions.ts';
import { CoordinatorStopped } from '../../coordinator/port/stopped.ts';
import { BrokenPromise } from '../broken-promise.ts';
import { Database } from './database.ts';
import {
  calmHosts,
  calmTrunks,
  type HostFaults,
  type HostPlan,
  type TrunkFaults,
} from './host-faults.ts';
import { MemberHost } from './member-host.ts';
import { TrunkParts, type TrunkPartsOptions } from './trunk-parts.ts';
import { Trunks } from './trunks.ts';
import { Wires } from './wires.ts';
import { type HostCounts, noHostCounts } from './host-counts.ts';

export interface HostGroupOptions {
  readonly clock: Clock;
  readonly plan: HostPlan;
  readonly writers: WriterChecker;
  readonly host: HostOptions;
  /** A frame of a host that was shut out leaves. */
  readonly onLateFrame: (messages: readonly SentMessage[]) => void;
  readonly onGiven: TrunkPartsOptions['onGiven'];
  readonly onCutOff: TrunkPartsOptions['onCutOff'];
  readonly check: TrunkPartsOptions['check'];
  /** Takes what a checker throws. */
  readonly guard: (check: () => void) => void;
}

/** A host whose coordinator works, in the newest term or in one that is over. */
export interface Leading {
  readonly name: string;
  readonly coordinator: RunningCoordinator;
  /** Calls as soon as its process reads messages. */
  readonly whenReading: (fn: () => void) => void;
}

/** A connection of a device that is led through a host to the leader. */
interface Path {
  readonly through: MemberHost;
  readonly to: MemberHost;
  readonly sink: Sink;
  readonly session: WorkerSession;
}

/** Nothing is on its way any more that began in the first act. */
const calmMs = 5_000;
/** Between two hosts that are well, and whose ways are, a trunk is open after so long. */
const openWithinMs = 8_000;
/** A trunk on which nothing arrives has ended after so long. */
const noticedWithinMs = 6_000;
/** Nothing was between them for longer than a leader waits before it ends as lonely. */
const nearForMs = 14_000;

export class HostGroup implements Machine {
  readonly disk = createMemoryDisk();
  readonly skewMs = 0;
  readonly database: Database;
  readonly members: readonly MemberHost[];
  readonly trunks: Trunks;
  readonly counts: HostCounts = noHostCounts();
  private readonly options: HostGroupOptions;
  private readonly parts: TrunkParts;
  private readonly paths = new Set<Path>();
  private faults: HostFaults;
  private trunkFaults: TrunkFaults;
  private ids = 0;
  private terms = 0;
  private calmSince = Infinity;
  /** When somebody took over last. */
  private leadsSince = -Infinity;

  constructor(options: HostGroupOptions) {
    const { clock, plan } = options;
    this.options = options;
    this.faults = plan.faults;
    this.database = new Database(clock, (term, why) => {
      if (why === 'lonely') options.guard(() => this.endedAsLonely(term));
    });
    this.trunkFaults = plan.trunks.faults;
    const wires = new Wires(clock, plan.trunks.prng, () => this.trunkFaults);
    this.trunks = new Trunks({ wires, prng: plan.trunks.prng, hosts: () => this.members });
    this.parts = new TrunkParts({
      ...options,
      disk: this.disk,
      frameCharacters: plan.trunks.frameCharacters,
      counts: this.counts,
      isInForce: (member) => this.isInForce(member),
      onBug: options.host.onBug,
    });
    const committed = new Committed();
    this.members = Array.from({ length: plan.count }, (_, i) =>
      this.createMember(`host-${i + 1}`, committed),
    );
  }

  /** Whose term is the newest, and whose coordinator works. */
  get leader(): MemberHost | null {
    const { term } = this.database.log.newest;
    return this.members.find((member) => member.term === term && member.isLeading) ?? null;
  }

  get coordinator(): RunningCoordinator | null {
    return this.leader?.host.coordinator ?? null;
  }

  get standsStill(): boolean {
    return this.members.some(({ host }) => host.standsStill);
  }

  /** The writer of the leader waits for the database: nobody is judged by what it does meanwhile. */
  get isHeldUp(): boolean {
    return this.leader?.isHeldUp === true;
  }

  async start(): Promise<void> {
    for (const member of this.members) member.start();
  }

  crash(): void {
    this.leader?.crash();
  }

  stall(ms: number): void {
    if (this.leader !== null) this.freeze(this.leader, ms);
  }

  /** Clocks of machines are of no account: the time is that of the database. */
  setClock(): void {
    void this.options;
  }

  freeze(member: MemberHost, ms: number): void {
    const isInForce = member === this.leader;
    const stillMs = member.freeze(ms);
    if (isInForce) this.options.host.onStall(stillMs);
  }

  /** All that take themselves for the leader. */
  get leading(): readonly Leading[] {
    return this.members.flatMap(({ name, term, host }) => {
      const { coordinator } = host;
      if (coordinator === null) return [];
      const isLate = term !== this.database.log.newest.term;
      if (isLate) this.counts.asked_late++;
      return [{ name, coordinator, whenReading: (fn: () => void) => host.whenReading(fn) }];
    });
  }

  whenReading(fn: () => void): void {
    this.leader?.host.whenReading(fn);
  }

  pause(ms: number): Promise<void> {
    const { leader } = this;
    if (leader !== null) return leader.host.pause(ms);
    // As from a host that has died: whoever waits has nobody to go on with.
    return new Promise(() => undefined);
  }

  /** At a host that follows it is carried by the trunk; led to the leader as it is only if its token is not known there. */
  openSession(sink: Sink, bearer: Bearer | null): WorkerSession | null {
    const through = this.balance();
    if (through === null) return null;
    if (through.isLeading) return this.lead(through, through, sink, bearer);
    if (through.member?.isReady !== true || through.host.standsStill) return null;
    const to = this.leaderOf(through);
    if (to !== null && this.options.plan.trunks.prng.chance(this.trunkFaults.tunnels)) {
      this.counts.tunnels++;
      return this.lead(through, to, sink, bearer);
    }
    try {
      return through.gateway!.open(sink, bearer);
    } catch (error) {
      if (error instanceof CoordinatorStopped) return null;
      throw error;
    }
  }

  private lead(
    through: MemberHost,
    to: MemberHost,
    sink: Sink,
    bearer: Bearer | null,
  ): WorkerSession | null {
    const { standstill } = through.host;
    const pass: Sink = {
      send: (frame) => standstill.read(() => this.paths.has(path) && sink.send(frame)),
      close: () => this.paths.delete(path) && sink.close(),
    };
    const session = to.host.openSession(pass, bearer);
    if (session === null) return null;
    const path: Path = { through, to, sink, session };
    this.paths.add(path);
    return {
      get workerId() {
        return session.workerId;
      },
      get hasWorked() {
        return session.hasWorked;
      },
      receive: (messages) => {
        standstill.read(() => this.paths.has(path) && session.receive(messages));
      },
      closed: () => {
        if (this.paths.delete(path)) session.closed();
      },
    };
  }

  async ask<T>(question: (coordinator: RunningCoordinator) => Promise<T>): Promise<T> {
    const through = this.balance();
    if (through === null) throw new Error('No host is there.');
    await new Promise<void>((resolve) => through.host.standstill.read(resolve));
    const to = this.leaderOf(through);
    if (to === null) throw new Error('No host leads.');
    const answer = await to.host.ask(question);
    if (to !== this.leader) throw new Error('The leader has changed.');
    return answer;
  }

  /** What has reached a host has not reached the leader: only what comes over sockets is followed as far as there. */
  arrive(): void {
    void this.options;
  }

  /** Its trunk breaks, and sockets that lead through it to another host end. */
  cutTrunk(through: MemberHost): void {
    this.trunks.snap(through);
    for (const path of this.paths) if (path.through === through) this.end(path);
  }

  heal(): void {
    this.faults = calmHosts;
    this.trunkFaults = calmTrunks;
    this.trunks.calm();
    this.database.comeBack();
    for (const member of this.members) member.cutUntil = -Infinity;
    this.calmSince = this.options.clock.now;
  }

  /** One leads, the others know it, and nothing of before is on its way. */
  get isCalm(): boolean {
    const { leader } = this;
    if (leader === null || leader.isWriting) return false;
    if (this.members.some(({ isEnding }) => isEnding)) return false;
    const followers = this.members.filter(
      (member) =>
        member === leader || (this.leaderOf(member) === leader && member.member?.isReady === true),
    );
    return (
      followers.length === this.members.length && this.options.clock.now > this.calmSince + calmMs
    );
  }

  /** Whenever time has passed: who could be reached is, and nobody waits without end. */
  look(): void {
    const { leader } = this;
    for (const member of this.members) {
      if (!member.host.standsStill) member.gateway?.look();
      if (leader === null || leader === member) continue;
      this.lookAtSilence(member, leader);
      if (this.mayBeApart(member, leader, openWithinMs)) continue;
      if (member.member?.isReady === true) continue;
      throw new BrokenPromise(
        `${member.name} has no trunk to ${leader.name}, though nothing is between them.`,
      );
    }
  }

  /** A trunk on which nothing arrives is not taken for open. */
  private lookAtSilence(member: MemberHost, leader: MemberHost): void {
    const { wires } = this.trunks;
    const { now } = this.options.clock;
    if (member.member?.isReady !== true || this.leaderOf(member) !== leader) return;
    const silentMs = Math.min(
      wires.cutForMs(leader.name, member.name),
      now - member.trunksTroubledAt,
    );
    if (silentMs <= noticedWithinMs) return;
    const seconds = (silentMs / 1000).toFixed(1);
    throw new BrokenPromise(
      `${member.name} takes its trunk to ${leader.name} for open, and has heard nothing for ${seconds} s.`,
    );
  }

  /** Something was between them so lately, or one of them has not known of the other for so long. */
  private mayBeApart(member: MemberHost, leader: MemberHost, ms: number): boolean {
    const { wires } = this.trunks;
    if (!member.isAlive || this.database.isAway) return true;
    const troubledAt = Math.max(
      member.trunksTroubledAt,
      leader.trunksTroubledAt,
      member.troubledAt,
      leader.troubledAt,
      this.leadsSince,
      this.database.cameBackAt,
      wires.troubledAt(member.name, leader.name),
    );
    return this.options.clock.now - troubledAt < ms;
  }

  /** Nobody goes whom most of the others reach, as far as anything between them can tell. */
  private endedAsLonely(term: string): void {
    const leader = this.members.find((member) => member.term === term);
    if (leader === undefined) return;
    const others = this.members.filter((member) => member !== leader);
    const near = others.filter((member) => !this.mayBeApart(member, leader, nearForMs));
    if (near.length * 2 < others.length) return;
    throw new BrokenPromise(`${leader.name} ends as lonely, and nothing is between it and most.`);
  }

  judge(): void {
    this.judgeCarried();
    const leading = this.members.filter(({ isLeading }) => isLeading);
    const following = this.members.filter(
      (member) => member !== this.leader && this.leaderOf(member) === this.leader,
    );
    const names = leading.map(({ name }) => name);
    this.options.writers.judge(
      names,
      following.map(({ name }) => name),
      this.members.length,
    );
  }

  /** Nothing that is said of connections is on its way. */
  get areCarriedKnown(): boolean {
    return this.carried === (this.leader?.carried ?? 0);
  }

  private get carried(): number {
    return this.members.reduce((sum, { gateway }) => sum + (gateway?.carried ?? 0), 0);
  }

  /** After healing the leader has a session for every connection that the others carry, and no other. */
  private judgeCarried(): void {
    if (this.areCarriedKnown) return;
    const [carried, known] = [this.carried, this.leader?.carried];
    throw new BrokenPromise(`${carried} connections are carried, and the leader has ${known}.`);
  }

  /** Any host that is there. */
  private balance(): MemberHost | null {
    const there = this.members.filter(({ isAlive }) => isAlive);
    return there.length === 0 ? null : this.options.plan.prng.pick(there);
  }

  /** The leader that a host knows of. */
  private leaderOf(member: MemberHost): MemberHost | null {
    if (member.isLeading) return member;
    const known = member.member?.leader?.member;
    return this.members.find(({ id, isLeading }) => id === known && isLeading) ?? null;
  }

  private isInForce(member: MemberHost): boolean {
    return member.term === this.database.log.newest.term;
  }

  private end(path: Path): void {
    if (!this.paths.delete(path)) return;
    path.sink.close();
    path.session.closed();
  }

  private tookOver(by: MemberHost, from: LogPosition): void {
    const { clock, writers, guard } = this.options;
    this.counts.takeovers++;
    this.leadsSince = clock.now;
    const before = this.members.find((member) => member !== by && member.term === from.term);
    if (before?.isLeading === true) this.counts.deposed++;
    guard(() =>
      writers.tookOver({
        at: clock.now,
        by: by.name,
        before,
        hasEnded: from.isOver,
        wasRefused: by.refused.has(from.term),
        cameBackAt: this.database.cameBackAt,
        wasAwayForMs: this.database.wasAwayForMs,
      }),
    );
  }

  private createMember(name: string, committed: Committed): MemberHost {
    const { clock, plan, writers, guard } = this.options;
    const isInForce = () => this.isInForce(member);
    const shared = { disk: this.disk, committed, newId: () => idOf(++this.ids), isInForce };
    const host = new Host({ ...this.hostOptions(() => member), shared });
    const member: MemberHost = new MemberHost({
      name,
      clock,
      prng: plan.prng,
      database: this.database,
      host,
      faults: () => this.faults,
      newTerm: () => `term-${++this.terms}`,
      openLine: (from, place, ears) => this.trunks.open(from, place, ears),
      reads: this.options.host.faults,
      slowReads: () => this.trunkFaults.slowReads,
      outfitPrng: plan.trunks.prng,
      onUnreadable: (by, isDamaged) => {
        this.options.host.onUnreadable('payload');
        if (isDamaged) by.gateway?.damaged();
      },
      createGateway: (by, life) => this.parts.createGateway(by, life),
      createTrunk: (by, socket) => this.parts.createTrunk(by, socket),
      onStarted: (by) => this.trunks.started(by.name),
      onDied: (by, id, isReset) => this.trunks.died(id, by.name, isReset),
      onTakeOver: (by, from) => this.tookOver(by, from),
      onWritten: (by, batch, term) => {
        guard(() => writers.wrote(batch.sequence, term, this.database.log.newest.term));
        by.host.wrote(batch);
      },
      onLost: (what) => this.counts[what === 'answer' ? 'lost_answers' : 'lost_requests']++,
      onSlow: () => this.counts.slow_commits++,
      onFrozen: (by, ms) => {
        this.counts.host_freezes++;
        this.freeze(by, ms);
      },
      onFailed: (by, fault) => {
        const { code } = fault as Partial<StoreFault>;
        if (code !== 'store_deposed' || !this.isInForce(by)) return;
        guard(() => writers.shutOut(by.name, code));
      },
      onWaited: (by) => {
        if (this.isInForce(by)) this.options.host.onStall(0);
      },
      onGone: (gone) => {
        for (const path of this.paths) {
          if (path.to === gone || (path.through === gone && !gone.isAlive)) this.end(path);
        }
      },
      log: this.options.host.log,
    });
    return member;
  }

  /** What the checkers hear of a host. */
  private hostOptions(whose: () => MemberHost): HostOptions {
    const { host, onLateFrame, guard } = this.options;
    const inForce =
      <Given extends readonly unknown[]>(tell: (...given: Given) => void) =>
      (...given: Given) => {
        if (this.isInForce(whose())) tell(...given);
      };
    return {
      ...host,
      onEvents: inForce(host.onEvents),
      check: inForce(host.check),
      onRestored: inForce(host.onRestored),
      onWriting: inForce(host.onWriting),
      onSettled: inForce(host.onSettled),
      onFrame: (messages, bearer) => {
        if (this.isInForce(whose())) host.onFrame(messages, bearer);
        else {
          this.counts.late_frames++;
          guard(() => onLateFrame(messages));
        }
      },
      onHello: inForce(host.onHello),
      onArrived: inForce(host.onArrived),
      onHeard: inForce(host.onHeard),
      onRelease: inForce(host.onRelease),
      onUndecided: inForce(host.onUndecided),
      onSaid: inForce(host.onSaid),
      onAnswered: inForce(host.onAnswered),
      onStall: inForce(host.onStall),
    };
  }
}
