// The name under which blobs are stored that a worker has put. It is no owner's of jobs: theirs have one line.

export function workerOwner(workerId: string): string {
  return `worker\n${workerId}`;
}
