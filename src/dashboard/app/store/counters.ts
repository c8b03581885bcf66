// The numbers that the coordinator tells each second, by the words of the store.

export type { Counters, OpenJob as OpenJobCounters } from '../../../protocol/counters.ts';
export type { JobEta as Eta } from '../../../protocol/estimates.ts';
