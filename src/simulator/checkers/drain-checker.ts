// Checks drains by committed events: a worker that drains gets nothing, what it saves is handed over in the
// same moment, and at the deadline it has nothing left, whatever happened to the coordinator meanwhile.

import type { ToldEvent } from '../../core/told-events.ts';
import type { State } from '../../core/state.ts';
import type { MemoryDisk } from '../../store/memory/memory-disk.ts';
import { BrokenPromise } from '../broken-promise.ts';

export interface DrainCheckerOptions {
  /** The virtual time. */
  readonly now: () => number;
  /** Error of the coordinator's clock, which stamps its events. */
  readonly skewMs: () => number;
  readonly disk: MemoryDisk;
  readonly onHandedOver: () => void;
  /** The deadline came while the worker had something. */
  readonly onEnded: () => void;
}

/** Deadlines are handled in batches, and a batch waits for the disk. */
const slackMs = 1500;

export class DrainChecker {
  private readonly options: DrainCheckerOptions;
  /** Workers that drain, with the deadline of each in virtual time; null: none. */
  private readonly drains = new Map<string, number | null>();
  /** Tokens of attempts whose state was just saved on such a worker. */
  private readonly saved = new Set<string>();
  private excusedUntil = 0;

  constructor(options: DrainCheckerOptions) {
    this.options = options;
  }

  /** Called with committed events, in order. */
  observe(event: ToldEvent): void {
    switch (event.type) {
      case 'worker_drained': {
        const { deadline } = event;
        const until = deadline === null ? null : deadline - this.options.skewMs();
        this.drains.set(event.worker.id, until);
        return;
      }
      case 'worker_resumed':
      case 'worker_deregistered':
        this.drains.delete(event.worker.id);
        return;
      case 'task_assigned':
        if (!this.drains.has(event.worker.id)) return;
        throw new BrokenPromise(`Worker ${event.worker.id} drains and is given a task.`);
      case 'checkpoint_saved':
        if (this.drains.has(event.attempt.worker.id)) this.saved.add(event.attempt.token);
        return;
      case 'attempt_ended':
        if (this.saved.delete(event.attempt.token)) this.options.onHandedOver();
        return;
      case 'drain_ended':
        return this.options.onEnded();
      case 'database_cleared':
        this.drains.clear();
        this.saved.clear();
        return;
      default:
        return;
    }
  }

  /** After the events of one commit. */
  compare(): void {
    const [token] = this.saved;
    this.saved.clear();
    if (token === undefined) return;
    throw new BrokenPromise(
      `An attempt (${token}) saved its state on a worker that drains, and stays.`,
    );
  }

  /** After a crash: drains and their deadlines are stored. */
  resume(): void {
    const { disk, now, skewMs } = this.options;
    this.drains.clear();
    this.saved.clear();
    this.excusedUntil = now();
    // A clock that was set back must not prolong a drain.
    const setBackMs = Math.max(0, (disk.lastCommitAt ?? -Infinity) - (now() + skewMs()));
    for (const { id, draining, deregisteredAt } of disk.workers.values()) {
      if (draining === null || deregisteredAt !== null) continue;
      const { deadline } = draining;
      this.drains.set(id, deadline === null ? null : deadline - setBackMs - skewMs());
    }
  }

  /** The coordinator stands still until then. */
  excuse(until: number): void {
    this.excusedUntil = Math.max(this.excusedUntil, until);
  }

  /** After every command, and whenever time has passed. */
  check(state: State): void {
    const now = this.options.now();
    for (const [id, until] of this.drains) {
      if (until === null || now <= Math.max(until, this.excusedUntil) + slackMs) continue;
      const worker = state.workers.get(id);
      const left = worker?.attempts.size ?? 0;
      // It was resumed in the batch that is being made, and drained no more.
      if (left === 0 || worker?.draining === null) continue;
      const seconds = ((now - until) / 1000).toFixed(1);
      throw new BrokenPromise(
        `Worker ${id} has ${left} attempts, ${seconds} s after the deadline of its drain.`,
      );
    }
  }
}
