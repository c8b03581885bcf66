// Everything that there is in one simulation, and its two acts. The parts are made here, and told of
// each other: the coordinator on its machine, the devices, the people, and the checkers, which hear of
// all that happens.

import type { RunningCoordinator } from '../coordinator/coordinator.ts';
import type { Delivery } from '../coordinator/port/notifications.ts';
import { algorithmIds } from '../core/snapshot.ts';
import { BrokenPromise } from './broken-promise.ts';
import { Calendar } from './calendar.ts';
import { Checkers } from './checkers/checkers.ts';
import { ProgramChecker } from './checkers/program-checker.ts';
import { WriterChecker } from './checkers/writer-checker.ts';
import { Clock } from './clock.ts';
import type { Coverage } from './coverage.ts';
import { Door } from './door.ts';
import { Doorkeeper } from './actors/doorkeeper.ts';
import { calm, drawFaults, type Faults } from './faults.ts';
import { Fleet } from './fleet.ts';
import { Host, type HostOptions } from './host.ts';
import { drawHosts, type HostPlan } from './hosts/host-faults.ts';
import { HostGroup } from './hosts/host-group.ts';
import { planHostTrouble, planTrunkTrouble } from './hosts/host-trouble.ts';
import { createHttpCalls } from './http-calls.ts';
import { Links } from './links.ts';
import type { Machine } from './machine.ts';
import { Owners } from './owners.ts';
import { Pages } from './pages.ts';
import { People } from './people.ts';
import { Prng } from './prng.ts';
import { Prober } from './actors/prober.ts';
import { type Reception, Receivers } from './receivers.ts';
import type { SimulationOptions, SimulationReport } from './report.ts';
import { Rests } from './rests.ts';
import { RunLoop } from './run-loop.ts';
import { planTrouble } from './trouble.ts';
import { drawKeeping, type Keeping } from './workload.ts';

const start = 1_700_000_000_000;
/** Healing may take leases, backoff and the slowest tasks; more is a task that is stuck. */
const healingMs = 3_600_000;
const longestCommitMs = 250;
/** Several hosts may have waited for the database for a minute, and for one another. */
const comeBackMs = 300_000;
const questionsPerSecond = 3;
const changesPerSecond = 2;
const releaseEveryMs = 10_000;
const welcomeEveryMs = 2000;
const lookEveryMs = 1000;
/** What people have asked of hosts that waited for the database is decided. */
const answeredMs = 2_000;
/** What devices that come and go have said, the leader hears. */
const knownMs = 10_000;
/** A report that was not answered is sent again after a lease. */
const handInMs = 300_000;

export class World {
  private readonly options: SimulationOptions;
  private readonly prng: Prng;
  private readonly clock = new Clock(start);
  private readonly loop = new RunLoop(this.clock, () => this.bug);
  private readonly host: Machine;
  /** The same, where there are several; null: there is one. */
  private readonly group: HostGroup | null;
  private readonly hosts: HostPlan | null;
  private prober: Prober | null = null;
  private readonly people: People;
  private readonly checkers: Checkers;
  private readonly door: Door;
  private readonly fleet: Fleet;
  private readonly log: (line: string) => void;
  private readonly count: Coverage['count'] = (name) => this.checkers.coverage.count(name);
  private readonly keeping: Keeping;
  private readonly receivers: Receivers;
  private readonly owners: Owners;
  private readonly links: Links;
  private readonly rests: Rests;
  private readonly pages: Pages;
  private faults: Faults;
  private bug: Error | null = null;
  private lives = 0;
  private healedMs = 0;

  constructor(options: SimulationOptions) {
    this.options = options;
    this.prng = new Prng(options.seed);
    this.hosts = drawHosts(options.seed);
    this.faults = faultsFor(this.hosts, drawFaults(this.prng));
    this.keeping = drawKeeping(this.prng);
    this.receivers = new Receivers(options.seed, () => this.faults === calm);
    this.owners = new Owners(options.seed);
    this.links = new Links(options.seed);
    this.rests = new Rests(options.seed);
    this.log = (line) =>
      options.onLine?.(`${(this.clock.now - start).toFixed(1).padStart(10)} ${line}`);
    this.pages = this.createPages();
    const host = this.hostOptions();
    this.group = this.hosts === null ? null : this.createGroup(this.hosts, host);
    this.host = this.group ?? new Host(host);
    this.people = this.createPeople();
    this.checkers = new Checkers({
      now: () => this.clock.now,
      skewMs: () => this.host.skewMs,
      disk: this.host.disk,
      client: this.people.client,
      keeping: this.keeping,
      receivers: this.receivers,
    });
    this.door = this.createDoor();
    this.fleet = this.createFleet();
  }

  async play(): Promise<void> {
    const { clock, prng, faults, host, fleet } = this;
    const { listener } = this.people;
    await this.links.begin(host.disk, () => clock.now);
    await host.start();
    await this.loop.settle();
    const end = start + (this.options.faultsMs ?? prng.spread(2000, 120_000));
    this.pages.plan(end, fleet);
    fleet.start();
    const calendar = new Calendar(clock, prng, end);
    this.planLinks(end);
    this.rests.plan(end, { clock, fleet });
    planTrouble(calendar, faults, { clock, prng, host, fleet, listener, count: this.count });
    this.planHosts(end);
    this.planCare(calendar);
    this.people.plan(start, end, faults);
    await this.loop.run(end, () => false);
    await this.heal();
  }

  summary(): SimulationReport {
    return {
      seed: this.options.seed,
      steps: this.loop.steps,
      virtualMs: this.clock.now - start,
      healedMs: this.healedMs,
      jobs: this.people.client.jobs.length,
      answersRead: this.people.reader.answers,
      coordinatorLives: this.lives,
      counts: this.checkers.coverage.counts,
      hosts: this.group?.counts ?? null,
    };
  }

  private planCare(calendar: Calendar): void {
    // A refused commit stops the coordinator by itself: somebody starts it again.
    calendar.often(1, () => {
      if (this.host.coordinator === null) void this.host.start();
    });
    // Silence must be seen even when nothing happens.
    calendar.often(1, () => {
      const { coordinator } = this.host;
      // Who waits for the database cannot see that somebody is silent.
      if (coordinator === null || this.group?.isHeldUp === true) return;
      this.guard(() => this.checkers.look(coordinator.state));
    });
  }

  private planHosts(end: number): void {
    const { clock, group, hosts } = this;
    if (group === null || hosts === null) return;
    const { prng, faults } = hosts;
    const calendar = new Calendar(clock, prng, end);
    planHostTrouble(calendar, faults, { clock, prng, group });
    const { trunks } = hosts;
    const trunkCalendar = new Calendar(clock, trunks.prng, end);
    planTrunkTrouble(trunkCalendar, trunks.faults, { clock, prng: trunks.prng, group });
    const look = () => {
      this.guard(() => group.look());
      clock.after(lookEveryMs, look);
    };
    look();
    const { client } = this.people;
    const prober = new Prober({
      prng,
      client,
      disk: group.disk,
      onBug: (error) => this.report(error),
    });
    this.prober = prober;
    calendar.often(questionsPerSecond, () => {
      for (const asked of group.leading) prober.ask(asked, asked.whenReading);
    });
    calendar.often(changesPerSecond, () => {
      const { leader } = group;
      const { coordinator } = group;
      if (leader === null || coordinator === null) return;
      const { name } = leader;
      group.whenReading(() => prober.tell({ name, coordinator }, () => group.leading));
    });
  }

  /** At random moments, and all together at the begin. */
  private planLinks(end: number): void {
    const { clock, links, fleet } = this;
    if (!links.isThere) return;
    const doorkeeper = this.createDoorkeeper();
    const ask = (say: (coordinator: RunningCoordinator) => void) => {
      const { coordinator } = this.host;
      if (coordinator !== null) this.host.whenReading(() => say(coordinator));
    };
    for (const guest of fleet.guests) {
      clock.after(links.prng.next() * 1000, () =>
        ask((coordinator) => doorkeeper.hand(coordinator, guest, links.draw())),
      );
    }
    new Calendar(clock, links.prng, end).often(links.prng.spread(0.1, 2), () =>
      ask((coordinator) => doorkeeper.act(coordinator)),
    );
    const care = () => {
      ask((coordinator) => doorkeeper.welcomeAll(coordinator));
      clock.after(welcomeEveryMs, care);
    };
    clock.at(end, care);
  }

  /** Everything is up again and stays so. */
  private async heal(): Promise<void> {
    const { loop, fleet, checkers } = this;
    const { client, operator, reader, watcher, listener } = this.people;
    this.options.onLine?.('---------- healing');
    // A frame that is lost on a connection which stays open is more than a network does to anybody.
    const isCut = this.faults.lostFrames > 0 || this.faults.reorderedFrames > 0;
    this.faults = calm;
    this.group?.heal();
    watcher.stop();
    fleet.endDeceit();
    await this.leaveTrouble();
    fleet.wake(isCut);
    listener.connect(this.coordinator());
    await loop.during(operator.release(this.coordinator()));
    await loop.during(client.giveUpLarge(this.coordinator()));
    fleet.care((workerId) => this.host.coordinator?.state.workers.has(workerId) === true);
    this.releaseJobs();
    const begin = this.clock.now;
    await loop.run(begin + healingMs, () => this.isQuiet());
    this.healedMs = this.clock.now - begin;
    const { retention, notifications } = checkers;
    const patienceMs = Math.max(retention.patienceMs, notifications.patienceMs);
    await loop.run(this.clock.now + patienceMs, () => false);
    await loop.run(this.clock.now + handInMs, () => this.pages.isSettled);
    await loop.during(checkers.judge(this.coordinator()));
    retention.judge();
    notifications.judge();
    this.pages.judge();
    checkers.judgeHeld(this.coordinator(), reader.jobsInReading);
    reader.verify();
    listener.verify();
    const { group } = this;
    if (group !== null) await loop.run(this.clock.now + knownMs, () => group.areCarriedKnown);
    group?.judge();
  }

  /** Again and again: a job that is still being sent may begin held. */
  private releaseJobs(): void {
    const { coordinator } = this.host;
    if (coordinator !== null) this.people.client.release(coordinator);
    this.clock.after(releaseEveryMs, () => this.releaseJobs());
  }

  /** What began before is over: a standstill, and a commit that the disk may refuse. */
  private async leaveTrouble(): Promise<void> {
    await this.loop.run(Infinity, () => !this.host.standsStill);
    await this.loop.run(this.clock.now + longestCommitMs, () => false);
    await this.host.start();
    await this.loop.settle();
    const { group, loop, clock } = this;
    if (group === null) return;
    await loop.run(clock.now + comeBackMs, () => group.isCalm);
    await loop.run(clock.now + answeredMs, () => false);
  }

  private coordinator(): RunningCoordinator {
    const { coordinator } = this.host;
    if (coordinator === null) throw new BrokenPromise('The coordinator did not come up.');
    return coordinator;
  }

  private isQuiet(): boolean {
    const { coordinator } = this.host;
    const { client, reader } = this.people;
    if (coordinator === null) return false;
    const { pendingJobs, runningJobs } = coordinator.state.counters;
    const isOver = pendingJobs + runningJobs === 0 && !client.isStreamingTo(coordinator);
    return isOver && reader.jobsInReading.length === 0;
  }

  private createGroup(plan: HostPlan, host: HostOptions): HostGroup {
    return new HostGroup({
      clock: this.clock,
      plan,
      host,
      writers: new WriterChecker(),
      onLateFrame: (messages) => this.checkers.frameOfBefore(messages),
      onGiven: (message) => {
        this.checkers.begins(message.assignments);
        this.fleet.overhear([message]);
      },
      onCutOff: (workerId) => this.checkers.workers.cutOff(workerId),
      check: this.links.isThere ? (...asked) => this.door.check(...asked) : null,
      guard: (check) => this.guard(check),
    });
  }

  private hostOptions(): HostOptions {
    const { clock, prng, log } = this;
    return {
      clock,
      prng,
      faults: () => this.faults,
      algorithm: prng.pick(algorithmIds),
      keeping: this.keeping,
      onTold: this.receivers.isThere ? (delivery) => this.told(delivery) : undefined,
      onEvents: (events) =>
        this.guard(() => {
          this.people.listener.observe(events);
          this.prober?.observe(events);
          this.checkers.observe(events);
        }),
      check: (state) => this.guard(() => this.checkers.check(state)),
      onBug: (error) => this.report(error),
      onRestored: (state) => {
        this.lives++;
        this.guard(() => {
          this.people.listener.beginLife();
          this.checkers.beginLife();
          this.checkers.check(state);
          this.people.reader.verify();
        });
      },
      onWriting: (batch) => this.people.lookMeanwhile(batch),
      onUnreadable: (what) => this.checkers.unreadable(what),
      onSettled: (coordinator) => this.guard(() => this.checkers.settled(coordinator)),
      onWritten: (batch) =>
        this.guard(() => {
          this.people.neighbour.written(batch);
          this.people.reader.written(batch);
          this.checkers.written(batch);
        }),
      onFrame: (messages, bearer) => {
        this.guard(() => this.checkers.frame(messages, bearer?.text ?? null));
        this.fleet.overhear(messages);
      },
      onHello: (connectionId, message) => this.checkers.greeted(connectionId, message),
      onArrived: (workerId) => this.checkers.workers.arrived(workerId),
      onHeard: (workerId) => this.checkers.workers.heard(workerId),
      onRelease: (...said) => this.checkers.givenBack.release(...said),
      onUndecided: (workerId) => this.checkers.givenBack.undecided(workerId),
      onSaid: (...said) => this.checkers.rests.said(...said),
      onAnswered: (connectionId, messages) => this.checkers.rests.answered(connectionId, messages),
      onStall: (ms) => this.checkers.excuse(this.clock.now + ms),
      batchLimit: prng.pick([20, 300]),
      log,
    };
  }

  private createPeople(): People {
    const { clock, prng, host, count, log } = this;
    return new People({
      clock,
      prng,
      host,
      keeping: this.keeping,
      owners: this.owners,
      named: this.receivers.named,
      count,
      onRemoved: (id) => this.checkers.workers.remove(id),
      onBug: (error) => this.report(error),
      log,
    });
  }

  private createDoor(): Door {
    const { host, count, links } = this;
    const guard = (check: () => void) => this.guard(check);
    const { admissions } = this.checkers;
    return new Door({ isGuarded: links.isThere, host, admissions, count, guard });
  }

  private createFleet(): Fleet {
    const { clock, prng, host, checkers, count, log } = this;
    const faults = () => this.faults;
    const onBug = (error: Error) => this.report(error);
    const guard = (check: () => void) => this.guard(check);
    const { door } = this;
    return new Fleet({
      clock,
      prng,
      faults,
      openSession: (sink, bearer) => host.openSession(sink, bearer),
      door,
      call: createHttpCalls({ clock, prng, faults, host, checkers, door, guard }),
      programs: new ProgramChecker({ disk: host.disk, onBug }),
      count,
      onBug,
      log,
    });
  }

  private createPages(): Pages {
    const { clock, count, log } = this;
    const onBug = (error: Error) => this.report(error);
    return new Pages(this.options.seed, { clock, count, onBug, log });
  }

  private createDoorkeeper(): Doorkeeper {
    const { links, host, fleet, checkers, count, log } = this;
    return new Doorkeeper({
      links,
      disk: host.disk,
      guests: fleet.guests,
      admissions: checkers.admissions,
      count,
      onBug: (error) => this.report(error),
      log,
    });
  }

  /** Somebody is told of the end of a job. */
  private told(delivery: Delivery): Reception {
    this.guard(() => this.checkers.notifications.sent(delivery));
    return this.receivers.receive(delivery);
  }

  private guard(fn: () => void): void {
    try {
      fn();
    } catch (error) {
      this.report(error as Error);
    }
  }

  private report(error: Error): void {
    this.bug ??= this.checkers.tellStory(error);
  }
}

/** Several hosts crash and stand still by their own plan; a refused commit costs more than a start there. */
function faultsFor(hosts: HostPlan | null, faults: Faults): Faults {
  if (hosts === null) return faults;
  return {
    ...faults,
    coordinatorCrashesPerSecond: 0,
    stallsPerSecond: 0,
    clockSetsPerSecond: 0,
    clockJumps: 0,
    failedCommits: faults.failedCommits / 20,
  };
}
