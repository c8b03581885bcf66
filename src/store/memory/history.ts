// Reads for evaluation and for the lists of history, from a memory disk.

import type { CheckpointState } from '../../core/commands.ts';
import type { HistoryReading, JobsAsked, PeriodFilter, ThroughputFilter } from '../reading.ts';
import type {
  CheckpointRow,
  CheckpointSum,
  EndedJob,
  RecoveryRow,
  RecoverySum,
  ThroughputSum,
  WorkerRow,
  WorkSum,
} from '../rows.ts';
import {
  bucketsEnd,
  CheckpointSums,
  firstBucket,
  RecoverySums,
  ThroughputSums,
  WorkSums,
} from '../sums.ts';
import type { OpenDisk } from './open-disk.ts';

export class MemoryHistory implements HistoryReading {
  readonly #open: OpenDisk;

  constructor(open: OpenDisk) {
    this.#open = open;
  }

  async listRecoveries(
    beforeId: number | null,
    limit: number,
    asked: JobsAsked = {},
  ): Promise<readonly RecoveryRow[]> {
    return this.#recoveries(asked)
      .filter((row) => beforeId === null || row.id < beforeId)
      .slice(0, limit);
  }

  async listCheckpoints(
    jobKey: number,
    afterId: number | null,
    limit: number,
    index?: number,
  ): Promise<readonly CheckpointRow[]> {
    return this.#open
      .folders({ jobKey })
      .flatMap((folder) => folder.checkpoints)
      .filter((row) => row.id > (afterId ?? -1) && (index === undefined || row.index === index))
      .slice(0, limit);
  }

  async readCheckpointState(id: number): Promise<CheckpointState | undefined> {
    const kept = this.#open.disk.states.get(id);
    return this.#open.see(kept?.checkpoint.jobKey) && kept?.state;
  }

  async sumWork({ since, until, ...asked }: PeriodFilter): Promise<readonly WorkSum[]> {
    const [from, to] = [firstBucket(since), bucketsEnd(until)];
    const sums = new WorkSums();
    this.#open
      .folders(asked)
      .flatMap((folder) => [...folder.work.values()])
      .filter((row) => row.bucketAt >= from && row.bucketAt < to)
      .sort((a, b) => a.bucketAt - b.bucketAt || a.jobKey - b.jobKey)
      .forEach((row) => sums.add(row));
    return sums.list();
  }

  async sumThroughput(filter: ThroughputFilter): Promise<readonly ThroughputSum[]> {
    const { from, to, bucketMs } = filter;
    const sums = new ThroughputSums(from, bucketMs);
    for (const folder of this.#open.folders(filter)) {
      for (const second of folder.seconds.values()) {
        if (second.at >= from && second.at < to) sums.add(second);
      }
    }
    return sums.list();
  }

  async sumRecoveries({
    since = -Infinity,
    until = Infinity,
    ...asked
  }: PeriodFilter): Promise<RecoverySum> {
    const sums = new RecoverySums();
    for (const row of this.#recoveries(asked)) {
      if (row.lostAt >= since && row.lostAt < until) sums.add(row);
    }
    return sums.total;
  }

  async sumCheckpoints({
    since = -Infinity,
    until = Infinity,
    ...asked
  }: PeriodFilter): Promise<CheckpointSum> {
    const sums = new CheckpointSums();
    for (const { checkpoints } of this.#open.folders(asked)) {
      for (const row of checkpoints) {
        if (row.createdAt >= since && row.createdAt < until) sums.add(row);
      }
    }
    return sums.total;
  }

  async *listEndedJobs(since: number | null, owner?: string): AsyncGenerator<readonly EndedJob[]> {
    const jobs: EndedJob[] = [];
    for (const { row } of this.#open.folders({ owner })) {
      const { spec, status, completedAt, completed, failed } = row;
      if (completedAt === null || completedAt < (since ?? -Infinity)) continue;
      const { key, createdAt, taskCount } = spec;
      jobs.push({ key, status, createdAt, completedAt, taskCount, completed, failed });
    }
    yield jobs.sort((a, b) => b.completedAt - a.completedAt || b.key - a.key);
  }

  async *listDepartedWorkers(since: number | null): AsyncGenerator<readonly WorkerRow[]> {
    const { workers, generation } = this.#open.disk;
    yield [...workers.values()]
      .filter((row) => row.generation === generation && row.deregisteredAt !== null)
      .filter((row) => row.deregisteredAt! >= (since ?? -Infinity))
      .sort((a, b) => a.key - b.key);
  }

  async *listRegisteredWorkers(): AsyncGenerator<readonly WorkerRow[]> {
    const { workers, generation } = this.#open.disk;
    yield [...workers.values()]
      .filter((row) => row.generation === generation && row.deregisteredAt === null)
      .sort((a, b) => a.key - b.key);
  }

  async isRegistered(workerId: string): Promise<boolean> {
    const { workers, generation } = this.#open.disk;
    const worker = workers.get(workerId);
    return worker?.generation === generation && worker.deregisteredAt === null;
  }

  /** Recovery events, newest first. */
  #recoveries(asked: JobsAsked): RecoveryRow[] {
    const shown = new Set(this.#open.folders(asked).map(({ row }) => row.spec.key));
    return [...this.#open.disk.recoveries.values()]
      .filter((row) => shown.has(row.jobKey))
      .sort((a, b) => b.id - a.id);
  }
}
