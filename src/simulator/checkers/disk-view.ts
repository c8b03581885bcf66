// Reads the disk as it is at this moment: the jobs of the present generation with their rows.

import { parseTaskId } from '../../core/task-key.ts';
import type { JobFolder, MemoryDisk } from '../../store/memory/memory-disk.ts';
import type { TaskRow } from '../../store/rows.ts';

export function visibleJobs(disk: MemoryDisk): JobFolder[] {
  return [...disk.jobs.values()].filter((folder) => isVisible(disk, folder));
}

/** Undefined when the job does not exist, or was deleted or cleared. */
export function findFolder(disk: MemoryDisk, jobId: string): JobFolder | undefined {
  const key = disk.jobKeys.get(jobId);
  const folder = key === undefined ? undefined : disk.jobs.get(key);
  return folder !== undefined && isVisible(disk, folder) ? folder : undefined;
}

export function findRow(disk: MemoryDisk, taskId: string): TaskRow | undefined {
  const parsed = parseTaskId(taskId);
  if (parsed === undefined) return undefined;
  return findFolder(disk, parsed.jobId)?.tasks.get(parsed.index);
}

/** The input text of a task as it was submitted. */
export function storedInput({ row, inputs }: JobFolder, index: number): string {
  const { rangeStart } = row.spec;
  return rangeStart === null ? inputs[index]! : String(rangeStart + index);
}

function isVisible(disk: MemoryDisk, { row }: JobFolder): boolean {
  return row.spec.generation === disk.generation;
}

/** True when the job exists and has not ended. */
export function isOpenJob(disk: MemoryDisk, jobId: string): boolean {
  return findFolder(disk, jobId)?.row.completedAt === null;
}
