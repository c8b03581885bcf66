// Jobs that have ended are kept for as long as was asked, and not longer. Looked at on the disk alone, by
// the timestamps that the coordinator gave: its clock may be set, and ages are told by it.

import type { JobRow, WriteBatch } from '../../store/rows.ts';
import type { MemoryDisk } from '../../store/memory/memory-disk.ts';
import type { ClientActor } from '../actors/client-actor.ts';
import { BrokenPromise } from '../broken-promise.ts';
import type { ToldEvent } from '../../core/told-events.ts';
import { times } from '../times.ts';
import type { Keeping } from '../workload.ts';
import { visibleJobs } from './disk-view.ts';

/** A look that the disk refused is repeated after a minute; then some may go at a time. */
const lateMs = 65_000 + times.expiryHoldMs;

export interface RetentionCheckerOptions {
  /** What the clock of the coordinator shows. */
  readonly now: () => number;
  readonly disk: MemoryDisk;
  readonly client: ClientActor;
  readonly keeping: Keeping;
}

export class RetentionChecker {
  private readonly options: RetentionCheckerOptions;
  /** The clock has jumped forward: no age counts before. */
  private heldUntil = -Infinity;

  constructor(options: RetentionCheckerOptions) {
    this.options = options;
  }

  /** After so long everything is removed that had ended by now, unless it is kept for good. */
  get patienceMs(): number {
    const { keepMs, keepJobs, ownMs } = this.options.keeping;
    const waits = [keepMs, ...ownMs, keepJobs === null ? null : 0].filter((ms) => ms !== null);
    return waits.length === 0 ? 0 : Math.max(...waits) + lateMs;
  }

  /** A committed event. */
  observe(event: ToldEvent): void {
    if (event.type !== 'clock_set') return;
    this.heldUntil += event.byMs;
    if (event.byMs > times.clockJumpMs) this.heldUntil = event.at + times.expiryHoldMs;
  }

  /** After a crash it is not known any more why to wait. */
  resume(): void {
    this.heldUntil = -Infinity;
  }

  /** A batch was written. */
  written(batch: WriteBatch): void {
    const { disk, client } = this.options;
    for (const key of batch.deletedJobs) {
      const row = disk.jobs.get(key)?.row;
      if (row === undefined || client.mayBeGone(row.spec.id)) continue;
      this.judgeRemoval(row, batch);
      client.expire(row.spec.id);
    }
  }

  /** After healing, and after its patience. */
  judge(): void {
    const { disk, now, keeping } = this.options;
    const ended = visibleJobs(disk).filter(({ row }) => row.completedAt !== null);
    for (const { row } of ended) {
      const lateness = now() - this.expiryOf(row);
      if (lateness <= lateMs) continue;
      throw new BrokenPromise(`Job ${row.spec.id} is there, ${lateness} ms after its time.`);
    }
    const { keepJobs } = keeping;
    if (keepJobs === null || ended.length <= keepJobs) return;
    throw new BrokenPromise(`${ended.length} jobs are kept after their end, not ${keepJobs}.`);
  }

  private judgeRemoval(row: JobRow, { jobs }: WriteBatch): void {
    const { disk, keeping } = this.options;
    const { id } = row.spec;
    if (row.completedAt === null) throw new BrokenPromise(`Job ${id} is removed and goes on.`);
    const at = disk.lastCommitAt!;
    const isHeld = at < this.heldUntil;
    if (this.expiryOf(row) <= at && !isHeld) return;
    const { keepJobs } = keeping;
    const kept = visibleJobs(disk).filter((other) => other.row.completedAt !== null);
    // Another that had ended may have been retried in the same batch.
    const retried = jobs.filter(({ completedAt }) => completedAt === null).length;
    if (keepJobs === null || kept.length + retried < keepJobs) {
      const tooEarly = isHeld ? this.heldUntil - at : this.expiryOf(row) - at;
      throw new BrokenPromise(`Job ${id} is removed ${tooEarly} ms too early.`);
    }
    const older = kept.find((other) => isOlder(other.row, row));
    if (older === undefined) return;
    throw new BrokenPromise(
      `Job ${id} is removed, ${older.row.spec.id} ended before it and stays.`,
    );
  }

  private expiryOf({ spec, completedAt }: JobRow): number {
    const keptMs = spec.retainMs ?? this.options.keeping.keepMs;
    return keptMs === null || completedAt === null ? Infinity : completedAt + keptMs;
  }
}

function isOlder(one: JobRow, other: JobRow): boolean {
  const difference = one.completedAt! - other.completedAt!;
  return difference < 0 || (difference === 0 && one.spec.key < other.spec.key);
}
