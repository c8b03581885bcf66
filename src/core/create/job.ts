import { IndexHeap } from '../index-heap.ts';
import type { EntryRecord, JobRecord, JobSpec } from '../records.ts';

/** A job of which no task was ever assigned. */
export function createJob(spec: JobSpec, presumedTaskMs: number | null = null): JobRecord {
  const entries: EntryRecord[] = [];
  const job: JobRecord = {
    spec,
    counts: { assigned: 0, running: 0, completed: 0, failed: 0, cancelled: 0 },
    entries,
    tasks: new Map(),
    liveMillionths: 0,
    openTasks: spec.taskCount,
    storedBytes: 0,
    status: 'pending',
    startedAt: null,
    completedAt: null,
    cancelledAt: null,
    heldAt: null,
    error: null,
    smoothedTaskMs: null,
    presumedTaskMs,
    refusals: new Map(),
  };
  for (const [priority, indices] of indicesByPriority(spec)) {
    entries.push({ job, priority, indices, cursor: 0, due: new IndexHeap(), queued: false });
  }
  return job;
}

/**
 * In order of falling priority, so that the cursors of a job always come in the same order. Two
 * passes over typed arrays: a job may have millions of priorities.
 */
function indicesByPriority(spec: JobSpec): [number, Int32Array | null][] {
  const { taskPriorities, priority } = spec;
  if (taskPriorities === null) return [[priority, null]];
  const sizes = new Map<number, number>();
  for (const value of taskPriorities) sizes.set(value, (sizes.get(value) ?? 0) + 1);
  const groups = new Map<number, { readonly indices: Int32Array; filled: number }>();
  for (const [value, size] of sizes)
    groups.set(value, { indices: new Int32Array(size), filled: 0 });
  for (let index = 0; index < taskPriorities.length; index++) {
    const group = groups.get(taskPriorities[index]!)!;
    group.indices[group.filled++] = index;
  }
  return [...groups].toSorted(([a], [b]) => b - a).map(([value, { indices }]) => [value, indices]);
}
