// One simulation in two acts. First faults: nothing unsafe may happen. Then healing: the world is
// calm, everything that was begun must end. The same seed is the same simulation, step by step.

import { algorithmIds } from '../core/snapshot.ts';
import { BrokenPromise, Checkers } from './checkers.ts';
import { ClientActor } from './client-actor.ts';
import { Clock } from './clock.ts';
import { Device } from './device.ts';
import { calm, drawFaults, type Faults } from './faults.ts';
import { Host } from './host.ts';
import { Prng } from './prng.ts';

export interface SimulationOptions {
  readonly seed: number;
  /** Virtual length of the first act. */
  readonly faultsMs?: number;
  readonly onLine?: (line: string) => void;
}

export interface SimulationReport {
  readonly seed: number;
  readonly steps: number;
  readonly virtualMs: number;
  readonly jobs: number;
  readonly coordinatorLives: number;
}

/** A promise was broken; the message has the seed, the story and how to run it again. */
export class SimulationFailure extends Error {
  override readonly name = 'SimulationFailure';
  readonly seed: number;

  constructor(seed: number, cause: Error) {
    super(`Seed ${seed}: ${cause.message}\nRun it again: npm run simulate -- --seed ${seed}`, {
      cause,
    });
    this.seed = seed;
  }
}

const start = 1_700_000_000_000;
/** Healing may take leases, backoff and the slowest tasks; more is a task that is stuck. */
const healingMs = 4 * 3_600_000;

export async function simulate(options: SimulationOptions): Promise<SimulationReport> {
  const world = new World(options);
  try {
    await world.play();
  } catch (error) {
    throw new SimulationFailure(options.seed, error as Error);
  }
  return world.report();
}

class World {
  private readonly options: SimulationOptions;
  private readonly prng: Prng;
  private readonly clock = new Clock(start);
  private readonly checkers = new Checkers();
  private readonly client: ClientActor;
  private readonly devices: Device[];
  private readonly host: Host;
  private faults: Faults;
  private bug: Error | null = null;
  private steps = 0;
  private lives = 0;

  constructor(options: SimulationOptions) {
    this.options = options;
    const prng = new Prng(options.seed);
    this.prng = prng;
    this.faults = drawFaults(prng);
    const log = (line: string) =>
      options.onLine?.(`${(this.clock.now - start).toFixed(1).padStart(10)} ${line}`);
    this.client = new ClientActor(prng, log);
    this.host = new Host({
      clock: this.clock,
      prng,
      faults: () => this.faults,
      algorithm: prng.pick(algorithmIds),
      onEvents: (events) => this.guard(() => this.checkers.observe(events)),
      check: (state) => this.guard(() => this.checkers.check(state)),
      onBug: (error) => {
        this.bug ??= error;
      },
      onRestored: (state) => {
        this.lives++;
        this.guard(() => {
          this.checkers.beginLife();
          this.checkers.check(state);
          this.checkers.resume(this.host.disk, this.client);
        });
      },
      log,
    });
    this.devices = Array.from(
      { length: prng.integer(2, 6) },
      (_, i) =>
        // Both rooms exist: a job that asks for one can be run.
        new Device(`device-${i + 1}`, i % 2 === 0 ? 'a' : 'b', {
          clock: this.clock,
          prng,
          faults: () => this.faults,
          openSession: (sink) => this.host.openSession(sink),
          log,
        }),
    );
  }

  async play(): Promise<void> {
    await this.host.start();
    await this.settle();
    const end = start + (this.options.faultsMs ?? this.prng.spread(2000, 120_000));
    for (const device of this.devices) {
      this.clock.after(this.prng.next() * 1000, () => device.start());
    }
    this.planTrouble(end);
    this.planClient(end);
    await this.run(end, () => false);
    await this.heal();
  }

  report(): SimulationReport {
    return {
      seed: this.options.seed,
      steps: this.steps,
      virtualMs: this.clock.now - start,
      jobs: this.client.jobs.length,
      coordinatorLives: this.lives,
    };
  }

  /** Everything is up again and stays so. */
  private async heal(): Promise<void> {
    this.options.onLine?.('---------- healing');
    this.faults = calm;
    await this.host.start();
    await this.settle();
    for (const device of this.devices) {
      device.connection?.snap();
      device.start();
    }
    await this.run(this.clock.now + healingMs, () => this.isQuiet());
    if (this.host.coordinator === null) throw new BrokenPromise('The coordinator did not come up.');
    await this.alongside(this.checkers.judge(this.host.coordinator, this.client));
  }

  /** Reads wait for commits, and commits for the clock: it must go on meanwhile. */
  private async alongside(work: Promise<void>): Promise<void> {
    let isDone = false;
    const end = () => {
      isDone = true;
    };
    work.then(end, end);
    await this.run(Infinity, () => isDone);
    await work;
  }

  private isQuiet(): boolean {
    const { coordinator } = this.host;
    if (coordinator === null) return false;
    return coordinator.state.counters.pendingJobs + coordinator.state.counters.runningJobs === 0;
  }

  private planTrouble(end: number): void {
    const { faults, prng, clock } = this;
    const repeat = (perSecond: number, cause: () => void) => {
      if (perSecond === 0) return;
      const next = () => {
        const at = clock.now + (-Math.log(1 - prng.next()) / perSecond) * 1000;
        if (at >= end) return;
        clock.at(at, () => {
          cause();
          next();
        });
      };
      next();
    };
    repeat(faults.coordinatorCrashesPerSecond, () => this.crashCoordinator());
    repeat(faults.deviceCrashesPerSecond, () => {
      const device = prng.pick(this.devices);
      device.crash();
      clock.after(prng.spread(10, 60_000), () => device.start());
    });
    repeat(faults.connectionDropsPerSecond, () => prng.pick(this.devices).connection?.snap());
    // A refused commit stops the coordinator by itself: somebody starts it again.
    repeat(1, () => {
      if (this.host.coordinator === null) void this.host.start();
    });
  }

  private crashCoordinator(): void {
    this.host.crash();
    for (const device of this.devices) device.connection?.die('coordinator');
    this.clock.after(this.prng.spread(1, 20_000), () => void this.host.start());
  }

  private planClient(end: number): void {
    const { clock, prng } = this;
    const jobs = prng.integer(1, 8);
    for (let i = 0; i < jobs; i++) {
      clock.at(start + prng.next() * (end - start) * 0.8, () => {
        if (this.host.coordinator !== null) this.client.act(this.host.coordinator);
      });
    }
  }

  private async run(until: number, isDone: () => boolean): Promise<void> {
    while (!isDone() && this.clock.step(until)) {
      this.steps++;
      await this.settle();
      if (this.bug !== null) throw this.bug;
    }
  }

  /** Lets promises that are ready go on; nothing in a simulation waits for anything real. */
  private settle(): Promise<void> {
    return new Promise((resolve) => setImmediate(resolve));
  }

  private guard(fn: () => void): void {
    try {
      fn();
    } catch (error) {
      this.bug ??= error as Error;
    }
  }
}
