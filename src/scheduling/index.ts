// The public door `muster/scheduling`: the bare methods, the criteria, and the nine schedulers.

export { byScore, type Score } from './by-score.ts';
export { aras } from './methods/aras.ts';
export { criteria, type Criterion, type Kind } from './methods/criteria.ts';
export { edas } from './methods/edas.ts';
export { entropyWeights } from './methods/entropy.ts';
export { mabac } from './methods/mabac.ts';
export type { Matrix } from './methods/matrix-input.ts';
export { createScheduler, isAlgorithmId } from './registry.ts';
export type {
  Contest,
  CriterionScore,
  RankedWorker,
  Ranking,
  Scheduler,
  SchedulerFactory,
  SchedulerMemory,
} from './scheduler.ts';
export { smoothWrr } from './smooth-wrr.ts';
export { effectiveWeights } from './weights.ts';
export {
  type AlgorithmId,
  algorithmIds,
  type CriterionId,
  criterionIds,
  defaultWeights,
  type Observed,
  type SchedulerConfig,
  type Snapshot,
  type Weights,
  type WorkerView,
} from '../core/snapshot.ts';
