// What evaluation and the lists of history ask of a memory disk.

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
import type { PeriodFilter, Store } from '../store.ts';
import { CheckpointSums, firstBucket, RecoverySums, ThroughputSums, WorkSums } from '../sums.ts';
import type { JobFolder, MemoryDisk } from './memory-disk.ts';

export function listRecoveries(
  disk: MemoryDisk,
  beforeId: number | null,
  limit: number,
  jobKey: number | undefined,
): readonly RecoveryRow[] {
  return visibleRecoveries(disk, jobKey)
    .filter((row) => beforeId === null || row.id < beforeId)
    .sort((a, b) => b.id - a.id)
    .slice(0, limit);
}

export function sumRecoveries(disk: MemoryDisk, { jobKey, since }: PeriodFilter): RecoverySum {
  const sums = new RecoverySums();
  for (const row of listRecoveries(disk, null, Infinity, jobKey)) {
    if (row.lostAt >= (since ?? -Infinity)) sums.add(row);
  }
  return sums.total;
}

export function listCheckpoints(
  disk: MemoryDisk,
  jobKey: number,
  afterId: number,
  limit: number,
  index?: number,
): readonly CheckpointRow[] {
  return visibleFolders(disk, jobKey)
    .flatMap((folder) => folder.checkpoints)
    .filter((row) => row.id > afterId && (index === undefined || row.index === index))
    .slice(0, limit);
}

export function sumCheckpoints(disk: MemoryDisk, { jobKey, since }: PeriodFilter): CheckpointSum {
  const sums = new CheckpointSums();
  for (const { checkpoints } of visibleFolders(disk, jobKey)) {
    for (const row of checkpoints) if (row.createdAt >= (since ?? -Infinity)) sums.add(row);
  }
  return sums.total;
}

export function sumWork(disk: MemoryDisk, { jobKey, since }: PeriodFilter): readonly WorkSum[] {
  const from = firstBucket(since);
  const sums = new WorkSums();
  visibleFolders(disk, jobKey)
    .flatMap((folder) => [...folder.work.values()])
    .filter((row) => row.bucketAt >= from)
    .sort((a, b) => a.bucketAt - b.bucketAt || a.jobKey - b.jobKey)
    .forEach((row) => sums.add(row));
  return sums.list();
}

export function sumThroughput(
  disk: MemoryDisk,
  filter: Parameters<Store['sumThroughput']>[0],
): readonly ThroughputSum[] {
  const { jobKey, from, to, bucketMs } = filter;
  const sums = new ThroughputSums(from, bucketMs);
  for (const folder of visibleFolders(disk, jobKey)) {
    for (const second of folder.seconds.values()) {
      if (second.at >= from && second.at < to) sums.add(second);
    }
  }
  return sums.list();
}

export function listEndedJobs(disk: MemoryDisk, since: number | null): readonly EndedJob[] {
  const jobs: EndedJob[] = [];
  for (const { row } of visibleFolders(disk, undefined)) {
    const { spec, status, completedAt, completed, failed } = row;
    if (completedAt === null || completedAt < (since ?? -Infinity)) continue;
    const { key, createdAt, taskCount } = spec;
    jobs.push({ key, status, createdAt, completedAt, taskCount, completed, failed });
  }
  return jobs.sort((a, b) => b.completedAt - a.completedAt || b.key - a.key);
}

export function listDepartedWorkers(disk: MemoryDisk, since: number | null): readonly WorkerRow[] {
  return [...disk.workers.values()]
    .filter((row) => row.generation === disk.generation && row.deregisteredAt !== null)
    .filter((row) => row.deregisteredAt! >= (since ?? -Infinity))
    .sort((a, b) => a.key - b.key);
}

function visibleRecoveries(disk: MemoryDisk, jobKey: number | undefined): RecoveryRow[] {
  return [...disk.recoveries.values()].filter(
    (row) =>
      (jobKey === undefined || row.jobKey === jobKey) &&
      disk.jobs.get(row.jobKey)?.row.spec.generation === disk.generation,
  );
}

function visibleFolders(disk: MemoryDisk, jobKey: number | undefined): JobFolder[] {
  return [...disk.jobs.values()].filter(
    ({ row: { spec } }) =>
      spec.generation === disk.generation && (jobKey === undefined || spec.key === jobKey),
  );
}
