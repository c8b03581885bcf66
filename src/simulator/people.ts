// The actors that are not devices: client, operator, reader, watcher, listener. The moments at which they
// act are drawn before the first act begins.

import type { Submission } from '../coordinator/port/jobs.ts';
import type { RunningCoordinator } from '../coordinator/coordinator.ts';
import type { WriteBatch } from '../store/rows.ts';
import { ClientActor } from './actors/client-actor.ts';
import { Listener } from './actors/listener.ts';
import { Neighbour } from './actors/neighbour.ts';
import { Operator } from './actors/operator.ts';
import { Reader } from './actors/reader.ts';
import { Watcher } from './actors/watcher.ts';
import type { Clock } from './clock.ts';
import type { Coverage } from './coverage.ts';
import type { Faults } from './faults.ts';
import type { Machine } from './machine.ts';
import type { Owners } from './owners.ts';
import type { Prng } from './prng.ts';
import type { Keeping } from './workload.ts';

export interface PeopleOptions {
  readonly clock: Clock;
  readonly prng: Prng;
  readonly host: Machine;
  readonly keeping: Keeping;
  readonly owners: Owners;
  readonly named: (submission: Submission) => Submission;
  readonly count: Coverage['count'];
  /** The operator has removed a worker. */
  readonly onRemoved: (workerId: string) => void;
  readonly onBug: (error: Error) => void;
  readonly log: (line: string) => void;
}

/** How often somebody reads while a commit is under way. */
const looksPerCommit = 0.05;
const mostLooksOfOwners = 60;

export class People {
  readonly client: ClientActor;
  readonly operator: Operator;
  readonly reader: Reader;
  readonly watcher: Watcher;
  readonly listener: Listener;
  readonly neighbour: Neighbour;
  private readonly options: PeopleOptions;

  constructor(options: PeopleOptions) {
    this.options = options;
    const { clock, prng, host, keeping, owners, named, count, onRemoved, onBug, log } = options;
    const { disk } = host;
    const isCurrent = (coordinator: RunningCoordinator) => host.coordinator === coordinator;
    this.client = new ClientActor({
      prng,
      disk,
      keeping,
      owners,
      named,
      pause: (ms) => host.pause(ms),
      onStreamed: () => count('streamed_jobs'),
      onBug,
      log,
    });
    this.operator = new Operator({ prng, onRemoved, onBug, log });
    this.reader = new Reader({
      prng,
      disk,
      client: this.client,
      clock,
      isCurrent,
      onLeft: () => count('readers_left'),
      onStall: () => count('readers_stalled'),
      onBug,
    });
    this.listener = new Listener({
      now: () => clock.now,
      isCurrent,
      onBug,
      onHeard: () => count('streamed'),
      onReset: () => count('stream_resets'),
    });
    this.neighbour = new Neighbour({
      owners,
      disk,
      isCurrent,
      onLook: (what) => count(what === 'own' ? 'own_looks' : 'foreign_looks'),
      onBug,
    });
    this.watcher = new Watcher({
      prng,
      disk,
      clock,
      client: this.client,
      reader: this.reader,
      ask: (say) => this.ask(say),
    });
  }

  /** Draws who does something between two moments, and when. */
  plan(start: number, end: number, faults: Faults): void {
    const { clock, prng, count } = this.options;
    const act = (who: { act(coordinator: RunningCoordinator): void }) => {
      this.ask((coordinator) => who.act(coordinator));
    };
    const plan = (times: number, cause: () => void) => {
      for (let i = 0; i < times; i++) clock.at(start + prng.next() * (end - start) * 0.9, cause);
    };
    plan(prng.integer(2, 12), () => act(this.client));
    plan(prng.integer(0, 40), () => act(this.reader));
    plan(prng.integer(0, 4), () => act(this.watcher));
    plan(prng.chance(0.5) ? prng.integer(1, 10) : 0, () => act(this.operator));
    plan(faults.crowds, () => {
      count('crowds');
      act({ act: (coordinator) => this.client.crowd(coordinator, prng.integer(25, 60)) });
    });
    plan(faults.largeJobs, () => {
      count('large_jobs');
      act({ act: (coordinator) => this.client.submitLarge(coordinator) });
    });
    this.planNeighbour(start, end);
    plan(faults.clears, () => this.ask((coordinator) => this.client.clear(coordinator)));
  }

  /** By a source of chance of its own: worlds without owners go as they would. */
  private planNeighbour(start: number, end: number): void {
    const { clock, owners } = this.options;
    if (!owners.isThere) return;
    for (let looks = owners.prng.integer(10, mostLooksOfOwners); looks > 0; looks--) {
      clock.at(start + owners.prng.next() * (end - start), () => {
        this.ask((coordinator) => this.neighbour.act(coordinator));
      });
    }
  }

  /** Somebody looks at what is just being written: nothing of it may be shown before it is there. */
  lookMeanwhile(batch: WriteBatch): void {
    const { prng, host } = this.options;
    if (!prng.chance(looksPerCommit)) return;
    if (host.coordinator !== null) this.reader.look(host.coordinator, batch);
  }

  private ask(say: (coordinator: RunningCoordinator) => void): void {
    const { host } = this.options;
    const { coordinator } = host;
    if (coordinator !== null) host.whenReading(() => say(coordinator));
  }
}
