// Entries of the queue: which indices of a job one has, which it hands out next, and which are still fresh.

import type { EntryRecord, JobRecord } from './records.ts';

/** How many tasks an entry has in all. */
export function entrySize(entry: EntryRecord): number {
  return entry.indices === null ? entry.job.spec.taskCount : entry.indices.length;
}

/** The index that the entry would hand out next, Infinity when it has none. */
export function nextIndex(entry: EntryRecord): number {
  return Math.min(entry.due.first ?? Infinity, freshIndex(entry));
}

/** The next index that was never handed out, Infinity when all were. */
export function freshIndex(entry: EntryRecord): number {
  if (entry.cursor >= entrySize(entry)) return Infinity;
  return entry.indices === null ? entry.cursor : entry.indices[entry.cursor]!;
}

/** Whether the job has no task with this index, or has never given it out. */
export function isFresh(job: JobRecord, index: number): boolean {
  const entry = entryOf(job, index);
  if (entry === undefined) return true;
  const { indices, cursor } = entry;
  if (cursor >= entrySize(entry)) return false;
  return index >= (indices === null ? cursor : indices[cursor]!);
}

/** The lowest index from which on the job has given out no task, in time proportional to its priorities. */
export function assignedEnd(job: JobRecord): number {
  let end = 0;
  for (const { indices, cursor } of job.entries) {
    if (cursor > 0) end = Math.max(end, indices === null ? cursor : indices[cursor - 1]! + 1);
  }
  return end;
}

/** The entry that a task of the job belongs to. */
export function entryOf(job: JobRecord, index: number): EntryRecord | undefined {
  if (index < 0 || index >= job.spec.taskCount) return undefined;
  const priorities = job.spec.taskPriorities;
  if (priorities === null) return job.entries[0];
  return entryOfPriority(job.entries, priorities[index]!);
}

/** Entries lie in order of falling priority. */
function entryOfPriority(
  entries: readonly EntryRecord[],
  priority: number,
): EntryRecord | undefined {
  let low = 0;
  let high = entries.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (entries[middle]!.priority > priority) low = middle + 1;
    else high = middle;
  }
  return entries[low]?.priority === priority ? entries[low] : undefined;
}
