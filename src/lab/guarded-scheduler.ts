// Looks after a scheduler of one's own: what it throws, and what it answers that no scheduler may, becomes a sentence
// about it. What it is given it cannot sort or cut: the lists are those of the coordinator.

import { basename } from 'node:path';
import type { Snapshot, WorkerView } from '../core/snapshot.ts';
import type {
  Contest,
  Scheduler,
  SchedulerFactory,
  SchedulerMemory,
} from '../scheduling/scheduler.ts';
import { ContenderFault } from './contender-fault.ts';

/** `file`: of the module, for messages. The schedulers throw nothing but `ContenderFault`. */
export function guarded(create: unknown, file: string): SchedulerFactory {
  const guard = new Guard(basename(file));
  if (typeof create !== 'function') {
    guard.refuse(
      'has no default export that makes one: export default byScore(…), or (config, memory) => …',
    );
  }
  return (config, memory) =>
    new GuardedScheduler(
      guard.run('its default export', () => (create as SchedulerFactory)(config, memory)),
      guard,
    );
}

/** What was thrown, in one text. JavaScript may throw anything, also null. */
export function sayThrown(thrown: unknown): string {
  return thrown instanceof Error && thrown.message !== '' ? thrown.message : String(thrown);
}

const functionNames = ['begin', 'contest', 'rank'] as const;
const queueOrders: ReadonlySet<unknown> = new Set(['submission', 'priority']);
const memoryTypes: ReadonlySet<unknown> = new Set(['none', 'turn', 'credits']);

class GuardedScheduler implements Scheduler {
  readonly algorithm: Scheduler['algorithm'];
  readonly queueOrder: Scheduler['queueOrder'];
  readonly #inner: Scheduler;
  readonly #guard: Guard;
  #workers: readonly WorkerView[] = [];
  #frozen: readonly WorkerView[] = [];

  constructor(inner: unknown, guard: Guard) {
    if (typeof inner !== 'object' || inner === null) {
      guard.refuse(`has made ${inner === null ? 'null' : typeof inner}, which is no scheduler.`);
    }
    const scheduler = inner as Scheduler;
    const missing = functionNames.find((name) => typeof scheduler[name] !== 'function');
    if (missing !== undefined) guard.refuse(`has made something without ${missing}(…).`);
    if (!queueOrders.has(scheduler.queueOrder)) {
      guard.refuse(`has the queueOrder ${scheduler.queueOrder}, not submission or priority.`);
    }
    this.#inner = scheduler;
    this.#guard = guard;
    ({ algorithm: this.algorithm, queueOrder: this.queueOrder } = scheduler);
  }

  begin(snapshot: Snapshot): void {
    // Another array comes when a worker joins or leaves.
    if (snapshot.workers !== this.#workers) {
      this.#workers = snapshot.workers;
      this.#frozen = Object.freeze([...snapshot.workers]);
    }
    const given: Snapshot = { workers: this.#frozen, version: snapshot.version };
    this.#guard.run('begin', () => this.#inner.begin(given));
  }

  contest(eligible: Uint8Array): Contest {
    const contest = this.#guard.run('contest', () => this.#inner.contest(eligible));
    return guardedContest(contest, Uint8Array.from(eligible), this.#guard);
  }

  rank(eligible: Uint8Array): ReturnType<Scheduler['rank']> {
    return this.#guard.run('rank', () => this.#inner.rank(eligible));
  }

  get memory(): SchedulerMemory {
    const memory = this.#guard.run('memory', () => this.#inner.memory as unknown);
    if (!memoryTypes.has((memory as { type?: unknown } | null | undefined)?.type)) {
      this.#guard.refuse(`has no memory; where it keeps nothing, that is { type: 'none' }.`);
    }
    return memory as SchedulerMemory;
  }
}

/** `candidates` is taken over: 1 where a row may be named. */
function guardedContest(inner: unknown, candidates: Uint8Array, guard: Guard): Contest {
  const contest = inner as Contest | null | undefined;
  for (const name of ['best', 'take', 'drop'] as const) {
    if (typeof contest?.[name] !== 'function') {
      guard.refuse(`has opened a contest without ${name}(…).`);
    }
  }
  const given = contest!;
  return {
    best: (except) => {
      const row: unknown = guard.run('best', () => given.best(except));
      if (row === -1 || (typeof row === 'number' && candidates[row] === 1)) return row;
      return guard.refuse(
        `has named row ${String(row)} in best(): that is none of the candidates, nor -1 for none.`,
      );
    },
    take: (row) => guard.run('take', () => given.take(row)),
    drop: (row) => {
      candidates[row] = 0;
      guard.run('drop', () => given.drop(row));
    },
  };
}

class Guard {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  run<T>(what: string, call: () => T): T {
    try {
      return call();
    } catch (error) {
      if (error instanceof ContenderFault) throw error;
      return this.refuse(
        `has failed in ${what}: ${sayThrown(error)}${this.#placeOf(error)}`,
        error,
      );
    }
  }

  refuse(why: string, cause?: unknown): never {
    throw new ContenderFault(`The scheduler ${this.#file} ${why}`, { cause });
  }

  /** Where in the module it threw. */
  #placeOf(error: unknown): string {
    const stack = error instanceof Error ? (error.stack ?? '') : '';
    const frame = stack
      .split('\n')
      .find((line) => line.trimStart().startsWith('at ') && line.includes(`/${this.#file}:`));
    const place = frame?.match(/:(\d+):\d+\)?$/)?.[1];
    return place === undefined ? '' : ` (line ${place})`;
  }
}
