import { expect, test } from 'vitest';
import { algorithmIds } from '../core/snapshot.ts';
import { createScheduler, isAlgorithmId } from './registry.ts';
import { schedulerCases } from './scheduler.cases.ts';
import { makeConfig } from './testing/made-cluster.ts';

test('makes the scheduler of each algorithm; only `priority` orders the queue by priority', () => {
  for (const algorithm of algorithmIds) {
    const scheduler = createScheduler(makeConfig(algorithm));
    expect(scheduler.algorithm).toBe(algorithm);
    expect(scheduler.queueOrder).toBe(algorithm === 'priority' ? 'priority' : 'submission');
  }
});

test('knows its algorithms, and no property of objects', () => {
  expect(isAlgorithmId('round_robin')).toBe(true);
  for (const id of ['', 'EDAS', 'constructor', '__proto__']) expect(isAlgorithmId(id)).toBe(false);
});

for (const algorithm of algorithmIds) schedulerCases(algorithm);
