// What must hold for workers that are not trusted, told by committed events: who is in quarantine
// gets nothing before the pause is over, then one task at a time; who fails that one pauses twice as
// long; and nobody gets there without having failed what succeeded elsewhere.

import type { ToldAs, ToldEvent } from '../../core/told-events.ts';
import type { MemoryDisk } from '../../store/memory/memory-disk.ts';
import type { AttemptChecker } from './attempt-checker.ts';
import { BrokenPromise } from '../broken-promise.ts';

export interface QuarantineCheckerOptions {
  readonly now: () => number;
  readonly disk: MemoryDisk;
  readonly attempts: Pick<AttemptChecker, 'heldBy'>;
  readonly quarantineAfterBlames: number;
  readonly quarantinePauseMs: number;
  readonly maxQuarantinePauseMs: number;
}

interface Pause {
  readonly until: number;
  readonly pauseMs: number;
}

/** After a restart the clock is read here and there, at moments of their own. */
const toleranceMs = 1;

export class QuarantineChecker {
  private readonly options: QuarantineCheckerOptions;
  private readonly pauses = new Map<string, Pause>();
  /** Tasks in a row that failed on a worker and then succeeded elsewhere. */
  private readonly blames = new Map<string, number>();

  constructor(options: QuarantineCheckerOptions) {
    this.options = options;
  }

  /** A committed event, in order, before the attempts are changed by it. */
  observe(event: ToldEvent): void {
    switch (event.type) {
      case 'task_assigned':
        return this.assigned(event.worker.id, event.at);
      case 'task_completed':
        return this.completed(event);
      case 'worker_quarantined':
        return this.quarantined(event.worker.id, event);
      case 'worker_released':
      case 'worker_deregistered':
        this.pauses.delete(event.worker.id);
        this.blames.delete(event.worker.id);
        return;
      case 'clock_set':
        for (const [id, { until, pauseMs }] of this.pauses) {
          this.pauses.set(id, { until: until + event.byMs, pauseMs });
        }
        return;
      case 'database_cleared':
        this.pauses.clear();
        this.blames.clear();
        return;
      default:
        return;
    }
  }

  /** After a crash: pauses are stored, blames are forgotten. */
  resume(): void {
    const { disk, now } = this.options;
    this.blames.clear();
    this.pauses.clear();
    // A clock that was set back prolongs no pause.
    const setBackMs = Math.max(0, (disk.lastCommitAt ?? -Infinity) - now());
    for (const { id, quarantine, deregisteredAt } of disk.workers.values()) {
      if (quarantine === null || deregisteredAt !== null) continue;
      const { until, pauseMs } = quarantine;
      this.pauses.set(id, { pauseMs, until: Math.min(until - setBackMs, now() + pauseMs) });
    }
  }

  private assigned(workerId: string, at: number): void {
    const pause = this.pauses.get(workerId);
    if (pause === undefined) return;
    if (at < pause.until - toleranceMs) {
      const left = pause.until - at;
      throw new BrokenPromise(`Worker ${workerId} is given a task ${left} ms before its probe.`);
    }
    const held = this.options.attempts.heldBy(workerId);
    if (held === 0) return;
    throw new BrokenPromise(`Worker ${workerId} is given a task on probe and holds ${held}.`);
  }

  private completed({ task, worker }: ToldAs<'task_completed'>): void {
    if (worker === null) return;
    const failed = new Set<string>();
    const ended = this.options.disk.jobs.get(task.job.spec.key)?.attempts.get(task.index);
    for (const { workerId, outcome } of ended?.values() ?? []) {
      if (outcome === 'failed' || outcome === 'timed_out') failed.add(workerId);
    }
    failed.delete(worker.id);
    for (const id of failed) this.blames.set(id, (this.blames.get(id) ?? 0) + 1);
    this.blames.delete(worker.id);
  }

  private quarantined(workerId: string, { until, pauseMs, at }: Pause & { at: number }): void {
    const { quarantineAfterBlames, quarantinePauseMs, maxQuarantinePauseMs } = this.options;
    const before = this.pauses.get(workerId);
    const blames = this.blames.get(workerId) ?? 0;
    if (before === undefined && blames < quarantineAfterBlames) {
      throw new BrokenPromise(`Worker ${workerId} is quarantined for ${blames} blames.`);
    }
    if (before !== undefined && at < before.until - toleranceMs) {
      throw new BrokenPromise(`Worker ${workerId} is quarantined anew while its pause lasts.`);
    }
    const right =
      before === undefined ? quarantinePauseMs : Math.min(maxQuarantinePauseMs, before.pauseMs * 2);
    if (pauseMs !== right) {
      throw new BrokenPromise(`Worker ${workerId} pauses for ${pauseMs} ms, not for ${right}.`);
    }
    this.pauses.set(workerId, { until, pauseMs });
    this.blames.delete(workerId);
  }
}
