// Who decides. All of these devices are one machine: each of their workers measures the same load, memory and
// latency, which says nothing about how fast it is. So what weighs is what tells them apart, the throughput.

import type { AlgorithmId, Weights } from '../../src/core/snapshot.ts';

export interface Contender {
  readonly name: string;
  readonly algorithm: AlgorithmId;
  readonly weights: Weights;
}

const bySpeed: Weights = { cpu: 0, memory: 0, throughput: 1, failure_rate: 0, latency: 0 };

export const contenders: readonly Contender[] = (['fifo', 'wrr', 'edas'] as const).map(
  (algorithm) => ({ name: algorithm, algorithm, weights: bySpeed }),
);
