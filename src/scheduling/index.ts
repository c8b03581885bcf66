// The public door `muster/scheduling`: the bare methods, the criteria, and the nine schedulers.

export { aras } from './aras.ts';
export { criteria, type Criterion, type Kind } from './criteria.ts';
export { edas } from './edas.ts';
export { entropyWeights } from './entropy.ts';
export { mabac } from './mabac.ts';
export type { Matrix } from './matrix-input.ts';
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
export { defaultWeights, effectiveWeights } from './weights.ts';
export {
  type AlgorithmId,
  algorithmIds,
  type CriterionId,
  criterionIds,
  type Observed,
  type SchedulerConfig,
  type Snapshot,
  type Weights,
  type WorkerView,
} from '../core/snapshot.ts';
