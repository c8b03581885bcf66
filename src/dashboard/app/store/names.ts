// What jobs and workers are called, where only their ids are told. Whoever uses it keeps those parts of the cluster.

import { computed } from '@preact/signals';
import { nameOf, shortId } from '../text/words.ts';
import { jobList, workerList } from './cluster.ts';

const workerNames = computed(
  () => new Map(workerList.value?.map((each) => [each.id, nameOf(each)])),
);
const jobNames = computed(() => new Map(jobList.value?.map((each) => [each.id, nameOf(each)])));

/** One that was removed is called by its id. */
export function nameOfWorker(id: string): string {
  return workerNames.value.get(id) ?? shortId(id);
}

export function nameOfJob(id: string): string {
  return jobNames.value.get(id) ?? shortId(id);
}
