// A scheduler of one's own: whoever would have the task done first, by how fast each has been so far.

import { byScore, type WorkerView } from 'muster/scheduling';

/** Mean time of its tasks in ms; a newcomer is taken to be as fast as the fastest, and so is soon measured. */
function taskMs({ observed }: WorkerView, workers: readonly WorkerView[]): number {
  if (observed.completed > 0) return (1000 * observed.busySeconds) / observed.completed;
  const known = workers.filter((worker) => worker.observed.completed > 0);
  return known.length === 0 ? 1 : Math.min(...known.map((worker) => taskMs(worker, [])));
}

export default byScore((worker, workers) => {
  const { activeTasks, slots, observed } = worker;
  const load = (observed.cpuLoadPercent ?? 0) / 100;
  const busyByOthers = Math.max(0, load - activeTasks / slots);
  return (
    -taskMs(worker, workers) * (1 + Math.max(0, activeTasks + 1 - slots) / slots + busyByOthers)
  );
});
