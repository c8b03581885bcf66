// Each end of a job is told to whoever asked for it, at least once, or given up as the rules have it; and
// nobody is told of an end that is not on the disk.

import type { Delivery } from '../../coordinator/port/notifications.ts';
import { defaultCoreSettings } from '../../core/settings.ts';
import type { JobEnd } from '../../core/notifications.ts';
import type { MemoryDisk } from '../../store/memory/memory-disk.ts';
import type { JobRow, NotificationRow, WriteBatch } from '../../store/rows.ts';
import { BrokenPromise } from '../broken-promise.ts';
import type { Receivers } from '../receivers.ts';
import { visibleJobs } from './disk-view.ts';

/** A look that the disk refused is repeated after a minute; then there are some pauses. */
const lateMs = 90_000;

export class NotificationChecker {
  private readonly disk: MemoryDisk;
  private readonly receivers: Receivers;
  /** The newest end of a job that was written, by its key. */
  private readonly ends = new Map<number, number>();
  /** As they were written last. */
  private readonly known = new Map<string, NotificationRow>();

  constructor(disk: MemoryDisk, receivers: Receivers) {
    this.disk = disk;
    this.receivers = receivers;
  }

  /** After so long everybody has been told. */
  get patienceMs(): number {
    return this.receivers.isThere ? lateMs : 0;
  }

  /** What is owed is written with the end. */
  written({ jobs, notifications }: WriteBatch): void {
    for (const row of notifications) this.known.set(nameOf(row), row);
    for (const row of jobs) {
      const { key, id, notify } = row.spec;
      if (notify === null || row.completedAt === null || this.ends.get(key) === row.completedAt)
        continue;
      this.ends.set(key, row.completedAt);
      const wanted = notify.filter(({ on }) => on.includes(row.status as JobEnd)).length;
      const owed = notifications.filter(
        ({ jobKey, endedAt }) => jobKey === key && endedAt === row.completedAt,
      );
      if (owed.length < wanted) {
        throw new BrokenPromise(`Job ${id} has ended, and ${owed.length} of ${wanted} are owed.`);
      }
    }
  }

  /** A message leaves: its end must be on the disk. */
  sent({ id, notice }: Delivery): void {
    for (const row of this.disk.notifications.values()) {
      if (nameOf(row) !== id) continue;
      if (row.status === notice.data.status && row.outcome === 'due') return;
      throw new BrokenPromise(`${id} is told as ${notice.data.status}, and is ${row.outcome}.`);
    }
    // It was read, and its job was removed before it left.
    const known = this.known.get(id);
    const isRemoved = known !== undefined && !this.hasJob(known.jobKey);
    if (isRemoved && known.status === notice.data.status && known.outcome === 'due') return;
    throw new BrokenPromise(`${id} is told and is not on the disk.`);
  }

  /** After healing, and after its patience. */
  judge(): void {
    const rows = new Map(visibleJobs(this.disk).map(({ row }) => [row.spec.key, row]));
    for (const row of this.disk.notifications.values()) {
      const job: JobRow | undefined = rows.get(row.jobKey);
      if (job === undefined) continue;
      const name = nameOf(row);
      const answers = this.receivers.answered.get(name) ?? [];
      const isRight = {
        due: false,
        delivered: answers.includes('delivered'),
        given_up:
          answers.includes('refused') || answers.length >= defaultCoreSettings.notifyAttempts,
      }[row.outcome];
      if (isRight) continue;
      throw new BrokenPromise(
        `${name} is ${row.outcome} after healing; it was answered ${answers.join(', ') || 'never'}.`,
      );
    }
  }

  private hasJob(jobKey: number): boolean {
    return visibleJobs(this.disk).some(({ row }) => row.spec.key === jobKey);
  }
}

function nameOf({ jobId, id }: Pick<NotificationRow, 'jobId' | 'id'>): string {
  return `msg_${jobId}_${id}`;
}
