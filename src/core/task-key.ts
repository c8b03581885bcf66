// A task's key in the store: the job's key in the high part, the index in the low 24 bits, so that
// the tasks of a job are neighbours and keys are sequential. 2^24 indices per job, 2^29 jobs.

export const indicesPerJob = 2 ** 24;

export function taskKey(jobKey: number, index: number): number {
  return jobKey * indicesPerJob + index;
}

export function jobKeyOf(key: number): number {
  return Math.floor(key / indicesPerJob);
}

export function indexOf(key: number): number {
  return key % indicesPerJob;
}

/** A task's id for the outside: job id and index. */
export function taskId(jobId: string, index: number): string {
  return `${jobId}.${index}`;
}

/** The parts of a task id, or undefined when it cannot be one. */
export function parseTaskId(id: string): { jobId: string; index: number } | undefined {
  const dot = id.lastIndexOf('.');
  if (dot <= 0 || id.length - dot > 9) return undefined;
  let index = 0;
  for (let i = dot + 1; i < id.length; i++) {
    const digit = id.charCodeAt(i) - 48;
    if (digit < 0 || digit > 9) return undefined;
    index = index * 10 + digit;
  }
  if (dot === id.length - 1 || (id.charCodeAt(dot + 1) === 48 && id.length - dot > 2)) {
    return undefined;
  }
  return index < indicesPerJob ? { jobId: id.slice(0, dot), index } : undefined;
}
