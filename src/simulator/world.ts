// Everything that there is in one simulation, and its two acts.

import type { RunningCoordinator } from '../coordinator/coordinator.ts';
import type { Result } from '../coordinator/port/rejection.ts';
import { algorithmIds } from '../core/snapshot.ts';
import type { AttemptRef, CoordinatorMessage } from '../protocol/messages.ts';
import { BrokenPromise } from './broken-promise.ts';
import { Calendar } from './calendar.ts';
import { Checkers } from './checkers/checkers.ts';
import type { GivenAttempt } from './checkers/checkpoint-checker.ts';
import { ClientActor } from './actors/client-actor.ts';
import { Clock } from './clock.ts';
import { Device } from './actors/device.ts';
import { calm, drawFaults, type Faults } from './faults.ts';
import { Host } from './host.ts';
import { Liar } from './actors/liar.ts';
import { Listener } from './actors/listener.ts';
import { Operator } from './actors/operator.ts';
import { ProgramChecker } from './checkers/program-checker.ts';
import { Prng } from './prng.ts';
import type { WriteBatch } from '../store/rows.ts';
import { PullDevice, type PullWorld } from './actors/pull-device.ts';
import { Reader } from './actors/reader.ts';
import { Watcher } from './actors/watcher.ts';
import { type Nature, sound } from './actors/sim-executor.ts';
import type { SimulationOptions, SimulationReport } from './report.ts';

const start = 1_700_000_000_000;
/** Healing may take leases, backoff and the slowest tasks; more is a task that is stuck. */
const healingMs = 3_600_000;
const dayMs = 86_400_000;
const longestCommitMs = 250;
const stepsPerMoment = 10_000;
/** How often somebody reads while a commit is under way. */
const looksPerCommit = 0.05;
/** Attempts that a liar has heard of. */
const seenMax = 100;

export class World {
  private readonly options: SimulationOptions;
  private readonly prng: Prng;
  private readonly clock = new Clock(start);
  private readonly checkers: Checkers;
  private readonly client: ClientActor;
  private readonly programs: ProgramChecker;
  private readonly operator: Operator;
  private readonly reader: Reader;
  private readonly watcher: Watcher;
  private readonly listener: Listener;
  private readonly devices: (Device | PullDevice)[];
  /** Off once healing begins: what goes by the identity of another, or lies. */
  private readonly twins: (Device | PullDevice)[] = [];
  private readonly liars: Liar[];
  private readonly seen: AttemptRef[] = [];
  private readonly host: Host;
  /** Share of devices that fail whatever they are given. */
  private readonly badDevices: number;
  private readonly log: (line: string) => void;
  private faults: Faults;
  private bug: Error | null = null;
  private steps = 0;
  private lives = 0;
  private moment = { at: start, steps: 0 };
  private healedMs = 0;

  constructor(options: SimulationOptions) {
    this.options = options;
    const prng = new Prng(options.seed);
    this.prng = prng;
    this.faults = drawFaults(prng);
    this.log = (line) =>
      options.onLine?.(`${(this.clock.now - start).toFixed(1).padStart(10)} ${line}`);
    this.host = this.createHost();
    const { disk } = this.host;
    const { log } = this;
    const onBug = (error: Error) => this.report(error);
    this.client = new ClientActor({
      prng,
      disk,
      pause: (ms) => this.host.pause(ms),
      onStreamed: () => this.checkers.coverage.count('streamed_jobs'),
      onBug,
      log,
    });
    this.checkers = new Checkers({
      now: () => this.clock.now,
      skewMs: () => this.host.skewMs,
      disk,
      client: this.client,
    });
    this.programs = new ProgramChecker({ disk, onBug });
    this.operator = new Operator({
      prng,
      onRemoved: (id) => this.checkers.workers.remove(id),
      onBug,
      log,
    });
    this.reader = new Reader({
      prng,
      disk,
      client: this.client,
      clock: this.clock,
      isCurrent: (coordinator) => this.host.coordinator === coordinator,
      onLeft: () => this.checkers.coverage.count('readers_left'),
      onStall: () => this.checkers.coverage.count('readers_stalled'),
      onBug,
    });
    this.listener = new Listener({
      now: () => this.clock.now,
      isCurrent: (coordinator) => this.host.coordinator === coordinator,
      onBug,
      onHeard: () => this.checkers.coverage.count('streamed'),
      onReset: () => this.checkers.coverage.count('stream_resets'),
    });
    this.watcher = new Watcher({
      prng,
      disk,
      clock: this.clock,
      client: this.client,
      reader: this.reader,
      ask: (say) => this.ask(say),
    });
    this.badDevices = prng.chance(0.4) ? 0.35 : 0;
    this.devices = [...this.createDevices(), ...this.createPullDevices()];
    this.liars = this.createLiars();
  }

  async play(): Promise<void> {
    await this.host.start();
    await this.settle();
    const end = start + (this.options.faultsMs ?? this.prng.spread(2000, 120_000));
    for (const one of [...this.devices, ...this.liars]) {
      this.clock.after(this.prng.next() * 1000, () => one.start());
    }
    this.planTrouble(new Calendar(this.clock, this.prng, end));
    this.planPeople(end);
    await this.run(end, () => false);
    await this.heal();
  }

  summary(): SimulationReport {
    return {
      seed: this.options.seed,
      steps: this.steps,
      virtualMs: this.clock.now - start,
      healedMs: this.healedMs,
      jobs: this.client.jobs.length,
      answersRead: this.reader.answers,
      coordinatorLives: this.lives,
      counts: this.checkers.coverage.counts,
    };
  }

  /** Everything is up again and stays so. */
  private async heal(): Promise<void> {
    this.options.onLine?.('---------- healing');
    // A frame that is lost on a connection which stays open is more than a network does to anybody.
    const isCut = this.faults.lostFrames > 0 || this.faults.reorderedFrames > 0;
    this.faults = calm;
    for (const one of this.liars) one.stop();
    this.watcher.stop();
    for (const one of this.twins) one.crash();
    await this.leaveTrouble();
    for (const device of this.devices) {
      device.wake();
      if (isCut && device instanceof Device) device.connection?.snap();
    }
    this.listener.connect(this.coordinator());
    await this.during(this.operator.release(this.coordinator()));
    await this.during(this.client.giveUpLarge(this.coordinator()));
    this.care();
    const begin = this.clock.now;
    await this.run(begin + healingMs, () => this.isQuiet());
    this.healedMs = this.clock.now - begin;
    await this.during(this.checkers.judge(this.coordinator()));
    this.checkers.judgeHeld(this.coordinator(), this.reader.jobsInReading);
    this.reader.verify();
    this.listener.verify();
  }

  /** What began before is over: a standstill, and a commit that the disk may refuse. */
  private async leaveTrouble(): Promise<void> {
    await this.run(Infinity, () => !this.host.standsStill);
    await this.run(this.clock.now + longestCommitMs, () => false);
    await this.host.start();
    await this.settle();
  }

  /** Somebody who looks after the devices: what has gone is started, what was removed is set up anew. */
  private care(): void {
    for (const device of this.devices) {
      if (device.isAlive) continue;
      if (!this.isRegistered(device)) device.identity = null;
      device.start();
    }
    this.clock.after(5000, () => this.care());
  }

  private isRegistered(device: Device | PullDevice): boolean {
    const { identity } = device;
    if (identity === null) return false;
    const id = 'id' in identity ? identity.id : identity.workerId;
    return this.host.coordinator?.state.workers.has(id) === true;
  }

  private coordinator(): RunningCoordinator {
    const { coordinator } = this.host;
    if (coordinator === null) throw new BrokenPromise('The coordinator did not come up.');
    return coordinator;
  }

  /** Reads wait for commits, and commits for the clock: it must go on meanwhile. */
  private async during(work: Promise<void>): Promise<void> {
    let isDone = false;
    const end = () => {
      isDone = true;
    };
    work.then(end, end);
    for (;;) {
      // Whatever it asks for is asked for by then, also where nothing else is to happen.
      await this.settle();
      if (isDone) return work;
      if (this.clock.isEmpty) throw new BrokenPromise('An answer is missing, and nothing happens.');
      await this.run(Infinity, () => isDone);
    }
  }

  private isQuiet(): boolean {
    const { coordinator } = this.host;
    if (coordinator === null) return false;
    const { pendingJobs, runningJobs } = coordinator.state.counters;
    const isOver = pendingJobs + runningJobs === 0 && !this.client.isStreamingTo(coordinator);
    return isOver && this.reader.jobsInReading.length === 0;
  }

  private planTrouble(calendar: Calendar): void {
    const { faults, prng, clock } = this;
    calendar.often(faults.coordinatorCrashesPerSecond, () => this.crashCoordinator());
    calendar.often(faults.clockSetsPerSecond, () => {
      this.checkers.coverage.count('clock_sets');
      this.host.setClock(prng.integer(-dayMs, dayMs));
    });
    calendar.often(faults.stallsPerSecond, () => {
      this.checkers.coverage.count('stalls');
      this.host.stall(prng.spread(100, 45_000));
    });
    calendar.often(faults.deviceCrashesPerSecond, () => {
      const device = prng.pick(this.devices);
      this.checkers.coverage.count('device_crashes');
      device.crash();
      clock.after(prng.spread(10, 60_000), () => device.start());
    });
    calendar.often(faults.connectionDropsPerSecond, () => {
      const one = prng.pick([...this.devices, ...this.liars]);
      if (!(one instanceof PullDevice)) one.connection?.snap();
    });
    calendar.often(faults.sleepsPerSecond, () => {
      const device = prng.pick(this.devices);
      device.sleep();
      clock.after(prng.spread(1000, 60_000), () => device.wake());
    });
    calendar.often(faults.listenersPerSecond, () => {
      const { coordinator } = this.host;
      if (coordinator === null || prng.chance(0.3)) this.listener.hangUp();
      else this.listener.connect(coordinator);
    });
    calendar.often(faults.twinsPerSecond, () => this.addTwin());
    // A refused commit stops the coordinator by itself: somebody starts it again.
    calendar.often(1, () => {
      if (this.host.coordinator === null) void this.host.start();
    });
    // Silence must be seen even when nothing happens.
    calendar.often(1, () => {
      const { coordinator } = this.host;
      if (coordinator !== null) this.guard(() => this.checkers.workers.check(coordinator.state));
    });
  }

  private planPeople(end: number): void {
    const { clock, prng, faults } = this;
    const act = (who: { act(coordinator: RunningCoordinator): void }) => {
      this.ask((coordinator) => who.act(coordinator));
    };
    const plan = (count: number, cause: () => void) => {
      for (let i = 0; i < count; i++) clock.at(start + prng.next() * (end - start) * 0.9, cause);
    };
    plan(prng.integer(2, 12), () => act(this.client));
    plan(prng.integer(0, 40), () => act(this.reader));
    plan(prng.integer(0, 4), () => act(this.watcher));
    plan(prng.chance(0.4) ? prng.integer(1, 6) : 0, () => act(this.operator));
    plan(faults.crowds, () => {
      this.checkers.coverage.count('crowds');
      act({ act: (coordinator) => this.client.crowd(coordinator, prng.integer(25, 60)) });
    });
    plan(faults.largeJobs, () => {
      this.checkers.coverage.count('large_jobs');
      act({ act: (coordinator) => this.client.submitLarge(coordinator) });
    });
    plan(faults.clears, () => this.ask((coordinator) => this.client.clear(coordinator)));
  }

  private ask(say: (coordinator: RunningCoordinator) => void): void {
    const { coordinator } = this.host;
    if (coordinator !== null) this.host.whenReading(() => say(coordinator));
  }

  /** Somebody looks at what is just being written: nothing of it may be shown before it is there. */
  private lookMeanwhile(batch: WriteBatch): void {
    if (!this.prng.chance(looksPerCommit)) return;
    const { coordinator } = this.host;
    if (coordinator !== null) this.reader.look(coordinator, batch);
  }

  private crashCoordinator(): void {
    this.checkers.coverage.count('coordinator_crashes');
    this.host.crash();
    for (const one of [...this.devices, ...this.twins, ...this.liars]) {
      if (!(one instanceof PullDevice)) one.connection?.die('coordinator');
    }
    this.clock.after(this.prng.spread(1, 20_000), () => void this.host.start());
  }

  private createHost(): Host {
    const { clock, prng, log } = this;
    return new Host({
      clock,
      prng,
      faults: () => this.faults,
      algorithm: prng.pick(algorithmIds),
      onEvents: (events) =>
        this.guard(() => {
          this.listener.observe(events);
          this.checkers.observe(events);
        }),
      check: (state) => this.guard(() => this.checkers.check(state)),
      onBug: (error) => this.report(error),
      onRestored: (state) => {
        this.lives++;
        this.guard(() => {
          this.listener.beginLife();
          this.checkers.beginLife();
          this.checkers.check(state);
          this.reader.verify();
        });
      },
      onWriting: (batch) => this.lookMeanwhile(batch),
      onUnreadable: (what) => this.checkers.unreadable(what),
      onSettled: (coordinator) => this.guard(() => this.checkers.settled(coordinator)),
      onWritten: (batch) => this.guard(() => this.checkers.written(batch)),
      onFrame: (messages) => {
        this.guard(() => this.checkers.frame(messages));
        this.overhear(messages);
      },
      onHello: (connectionId, message) => this.checkers.workers.hello(connectionId, message),
      onArrived: (workerId) => this.checkers.workers.arrived(workerId),
      onHeard: (workerId) => this.checkers.workers.heard(workerId),
      onStall: (ms) => this.checkers.workers.excuse(this.clock.now + ms),
      batchLimit: prng.pick([20, 300]),
      log,
    });
  }

  private createDevices(): Device[] {
    // Both rooms exist: a job that asks for one can be run.
    return Array.from({ length: this.prng.integer(2, 5) }, (_, i) =>
      this.createDevice(`device-${i + 1}`, i % 2 === 0 ? 'a' : 'b'),
    );
  }

  private createDevice(name: string, room: string): Device {
    const { clock, prng, log } = this;
    return new Device(name, room, this.drawNature(), {
      clock,
      prng,
      faults: () => this.faults,
      openSession: (sink) => this.host.openSession(sink),
      programs: this.programs,
      log,
    });
  }

  /** Some are slow, and in some worlds some are broken. */
  private drawNature(): Nature {
    const { prng } = this;
    const slowness = prng.chance(0.25) ? prng.spread(2, 10) : 1;
    return { slowness, isBad: prng.chance(this.badDevices) };
  }

  private createPullDevices(): PullDevice[] {
    const { prng } = this;
    if (!prng.chance(0.5)) return [];
    return Array.from({ length: prng.integer(1, 3) }, (_, i) => {
      const style = prng.pick(['honest', 'honest', 'sleepy', 'silent'] as const);
      return new PullDevice(
        `pull-${i + 1}`,
        prng.pick(['a', 'b']),
        style,
        this.drawNature(),
        this.pullWorld(),
      );
    });
  }

  private pullWorld(): PullWorld {
    const { clock, prng, log } = this;
    return {
      clock,
      prng,
      programs: this.programs,
      log,
      faults: () => this.faults,
      call: (...given) => this.call(...given),
      onLostClaim: () => this.checkers.coverage.count('claims_lost'),
      onLeftClaim: () => this.checkers.coverage.count('claims_left'),
    };
  }

  private createLiars(): Liar[] {
    const { clock, prng, seen } = this;
    const count = prng.chance(0.4) ? prng.integer(1, 2) : 0;
    return Array.from(
      { length: count },
      () =>
        new Liar({
          clock,
          prng,
          faults: () => this.faults,
          openSession: (sink) => this.host.openSession(sink),
          seen,
          onLie: (name) => this.checkers.coverage.count(name),
          onBug: (error) => this.report(error),
        }),
    );
  }

  /** A copy of a device's disk is started elsewhere, and runs for a while. */
  private addTwin(): void {
    const { prng, clock } = this;
    const device = prng.pick(this.devices);
    if (device.identity === null) return;
    const name = `${device.name}-twin`;
    let twin: Device | PullDevice;
    if (device instanceof PullDevice) {
      twin = new PullDevice(name, 'a', 'honest', sound, this.pullWorld());
      twin.identity = device.identity;
    } else {
      twin = this.createDevice(name, 'a');
      twin.identity = device.identity;
    }
    this.log(`${name}: appears`);
    this.twins.push(twin);
    twin.start();
    clock.after(prng.spread(100, 30_000), () => twin.crash());
  }

  /** A call over plain HTTP: the request or its answer may be lost, and a request may come twice. */
  private call<T>(
    workerId: string | null,
    ask: (coordinator: RunningCoordinator) => Promise<Result<T>>,
    answered: (result: Result<T> | null) => void,
    patienceMs = 5000,
  ): void {
    const { clock, prng } = this;
    let isOver = false;
    const end = (result: Result<T> | null) => {
      if (isOver) return;
      isOver = true;
      answered(result);
    };
    const once = () => {
      const { lostFrames } = this.faults;
      clock.after(this.delay(), () => {
        if (prng.chance(lostFrames)) return;
        const heard = () => {
          if (workerId !== null) this.checkers.workers.heard(workerId);
        };
        this.host.arrive(workerId);
        // Either may renew the lease: a claim waits long between the two.
        heard();
        this.host.ask(ask).then(
          (result) => {
            heard();
            this.guard(() => this.checkAnswer(result));
            if (!prng.chance(lostFrames)) clock.after(this.delay(), () => end(result));
          },
          () => undefined,
        );
      });
    };
    once();
    if (prng.chance(this.faults.repeatedFrames)) once();
    clock.after(patienceMs, () => end(null));
  }

  private delay(): number {
    return this.prng.spread(this.faults.delayMs[0], this.faults.delayMs[1]);
  }

  private checkAnswer(result: Result<unknown>): void {
    if (!result.ok) return;
    const { value } = result;
    if (Array.isArray(value)) this.checkers.claimed(value as GivenAttempt[]);
    const { accepted } = value as { accepted?: Parameters<Checkers['acknowledged']>[0] };
    if (accepted !== undefined) this.checkers.acknowledged(accepted);
  }

  private overhear(messages: readonly CoordinatorMessage[]): void {
    if (this.liars.length === 0) return;
    for (const message of messages) {
      if (message.type !== 'assign') continue;
      for (const { task_id, attempt, token } of message.assignments) {
        this.seen.push({ task_id, attempt, token });
      }
    }
    this.seen.splice(0, this.seen.length - seenMax);
  }

  private async run(until: number, isDone: () => boolean): Promise<void> {
    while (!isDone() && this.clock.step(until)) {
      this.steps++;
      await this.settle();
      this.watchTime();
      if (this.bug !== null) throw this.bug;
    }
  }

  /** Who asks for a turn again and again without end would keep a real machine busy for nothing. */
  private watchTime(): void {
    if (this.clock.now === this.moment.at) {
      if (++this.moment.steps < stepsPerMoment) return;
      throw new BrokenPromise(`Time stands still after ${stepsPerMoment} steps at one moment.`);
    }
    this.moment = { at: this.clock.now, steps: 0 };
  }

  /** Lets promises that are ready go on; nothing in a simulation waits for anything real. */
  private settle(): Promise<void> {
    return new Promise((resolve) => setImmediate(resolve));
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
