// Name → scheduler. A changed configuration makes a new scheduler; what the old one remembered (a
// turn, credits) goes with it, unless it is handed over.

import { type AlgorithmId, algorithmIds } from '../core/snapshot.ts';
import { arasMethod } from './methods/aras.ts';
import { edasMethod } from './methods/edas.ts';
import { FifoScheduler } from './fifo.ts';
import { LeastLoadedScheduler } from './least-loaded.ts';
import { mabacMethod } from './methods/mabac.ts';
import { MultiCriteriaScheduler } from './multi-criteria.ts';
import { PerformanceScheduler } from './performance.ts';
import { RoundRobinScheduler } from './round-robin.ts';
import type { SchedulerFactory, TabledScheduler } from './scheduler.ts';
import { WrrScheduler } from './wrr.ts';

type Factory = (...given: Parameters<SchedulerFactory>) => TabledScheduler;

const factories: Readonly<Record<AlgorithmId, Factory>> = {
  fifo: () => new FifoScheduler(),
  round_robin: (_, memory) => new RoundRobinScheduler(memory),
  least_loaded: () => new LeastLoadedScheduler('least_loaded'),
  performance: () => new PerformanceScheduler(),
  priority: () => new LeastLoadedScheduler('priority'),
  wrr: (config, memory) => new WrrScheduler(config, memory),
  edas: (config) => new MultiCriteriaScheduler(config, edasMethod),
  aras: (config) => new MultiCriteriaScheduler(config, arasMethod),
  mabac: (config) => new MultiCriteriaScheduler(config, mabacMethod),
};

export const createScheduler: Factory = (config, memory) =>
  factories[config.algorithm](config, memory);

export function isAlgorithmId(id: string): id is AlgorithmId {
  return (algorithmIds as readonly string[]).includes(id);
}
