import { expect, test } from 'vitest';
import { criterionIds, defaultWeights, type SchedulerConfig } from '../core/snapshot.ts';
import { MadeCluster, makeConfig, makeWorker } from './testing/made-cluster.ts';
import { effectiveWeights } from './weights.ts';

test('manual weights are all nine, divided by their sum', () => {
  const weights = effectiveWeights(makeConfig('edas', { cpu: 3, battery: 1 }), new MadeCluster());
  expect(Object.keys(weights)).toEqual([...criterionIds]);
  expect(weights).toMatchObject({ cpu: 0.75, battery: 0.25, memory: 0, load: 0 });
});

test('the five of the specification weigh the same by default', () => {
  const weights = effectiveWeights(makeConfig('edas', defaultWeights), new MadeCluster());
  expect(weights).toMatchObject({ cpu: 0.2, memory: 0.2, latency: 0.2, bandwidth: 0 });
});

test('entropy weighs what varies, equally when there are fewer than two workers', () => {
  const config: SchedulerConfig = { ...makeConfig('edas'), weighting: 'entropy' };
  const alone = effectiveWeights(config, new MadeCluster(makeWorker('a')));
  for (const id of criterionIds) expect(alone[id]).toBeCloseTo(1 / 9, 15);
  expect(effectiveWeights(config, new MadeCluster())).toEqual(alone);
  const two = new MadeCluster(makeWorker('a'), makeWorker('b', { networkLatencyMs: 100 }));
  expect(effectiveWeights(config, two)).toMatchObject({ latency: 1, cpu: 0 });
});
