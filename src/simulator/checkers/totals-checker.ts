// The durable totals are what the history of events says, and never fall: not by a crash, nor by anything that
// is removed.

import type { ToldEvent } from '../../core/told-events.ts';
import type { Totals } from '../../core/totals.ts';
import type { MemoryDisk } from '../../store/memory/memory-disk.ts';
import { BrokenPromise } from '../broken-promise.ts';

/** By the path of the total: `jobsRemoved.expired`. */
type Counts = Map<string, number>;

export class TotalsChecker {
  private readonly disk: MemoryDisk;
  private written: Counts;
  private expected: Counts;

  constructor(disk: MemoryDisk) {
    this.disk = disk;
    this.written = countsOf(disk.totals);
    this.expected = countsOf(disk.totals);
  }

  /** A coordinator has started: what was committed and not told before is on the disk. */
  resume(): void {
    this.expected = countsOf(this.disk.totals);
  }

  /** A batch was written. */
  compareWithBefore(): void {
    const now = countsOf(this.disk.totals);
    for (const [name, count] of this.written) {
      if ((now.get(name) ?? 0) >= count) continue;
      throw new BrokenPromise(`The total ${name} was ${count} and is ${now.get(name)}.`);
    }
    this.written = now;
  }

  /** All events of a commit. */
  observe(events: readonly ToldEvent[]): void {
    for (const event of events) {
      for (const [name, count] of whatCounts(event)) {
        this.expected.set(name, (this.expected.get(name) ?? 0) + count);
      }
    }
    const stored = countsOf(this.disk.totals);
    for (const [name, count] of stored) {
      const said = this.expected.get(name) ?? 0;
      if (said === count) continue;
      throw new BrokenPromise(`The total ${name} is ${count}, by the events ${said}.`);
    }
  }
}

function whatCounts(event: ToldEvent): readonly (readonly [string, number])[] {
  switch (event.type) {
    case 'job_submitted':
      return [
        ['jobsSubmitted', 1],
        ['tasksSubmitted', event.spec.taskCount],
      ];
    case 'job_finished':
      return [[`jobs${event.status[0]!.toUpperCase()}${event.status.slice(1)}`, 1]];
    case 'job_deleted':
      return [[event.because === 'expired' ? 'jobsRemoved.expired' : 'jobsRemoved.deleted', 1]];
    case 'database_cleared':
      return [['jobsRemoved.cleared', event.jobs]];
    case 'task_completed':
      return [
        ['tasksCompleted', 1],
        ['completedMs', event.runMs],
        ['energyJoules', event.energyJoules ?? 0],
      ];
    case 'task_failed':
      return [['tasksFailed', 1]];
    case 'task_requeued':
      return [['tasksRequeued', 1]];
    case 'checkpoint_saved':
      return [['checkpoints', 1]];
    case 'attempt_ended':
      return [[`attempts.${event.outcome}`, 1]];
    default:
      return [];
  }
}

function countsOf({ attempts, jobsRemoved, ...others }: Totals): Counts {
  const under = (path: string, counts: object) =>
    Object.entries(counts).map(([name, count]) => [path + name, Number(count)] as const);
  const nested = [...under('attempts.', attempts), ...under('jobsRemoved.', jobsRemoved)];
  return new Map([...under('', others), ...nested]);
}
