// The values of the nine criteria, row by row of the table in criteria.ts.

import { describe, expect, test } from 'vitest';
import { type CriterionId, criterionIds } from '../../core/snapshot.ts';
import { criteria } from './criteria.ts';
import { DecisionMatrix } from './decision-matrix.ts';
import { type MadeWorker, makeWorker, silent } from '../testing/made-cluster.ts';

test('the table has a row for each criterion, in the direction of the specification', () => {
  expect(Object.keys(criteria)).toEqual([...criterionIds]);
  const costs = criterionIds.filter((id) => criteria[id].kind === 'cost');
  expect(costs).toEqual(['failure_rate', 'latency', 'energy', 'load']);
});

test('reads each criterion of a worker that tells everything', () => {
  const worker = makeWorker('w', { cpuLoadPercent: 30, failed: 0, completed: 100 });
  expect(valueOf('cpu', worker)).toBe(70);
  expect(valueOf('load', worker)).toBe(30);
  expect(valueOf('memory', worker)).toBe(4_000);
  expect(valueOf('throughput', worker)).toBe(1);
  expect(valueOf('latency', worker)).toBe(20);
  expect(valueOf('bandwidth', worker)).toBe(100);
  expect(valueOf('battery', worker)).toBe(60);
  expect(valueOf('energy', worker)).toBe(4.5);
});

describe('failure rate', () => {
  test('is (failed + 2p) / (total + 2) with p the rate of the cluster', () => {
    const steady = makeWorker('a', { completed: 90, failed: 10 });
    const newcomer = makeWorker('b', silent);
    // p = 10 / 100
    expect(valueOf('failure_rate', steady, newcomer)).toBeCloseTo(10.2 / 102, 12);
    expect(valueOf('failure_rate', newcomer, steady)).toBeCloseTo(0.1, 12);
  });

  test('believes in at least 1 % where nothing has failed', () => {
    const perfect = makeWorker('a', { completed: 98, failed: 0 });
    expect(valueOf('failure_rate', perfect)).toBeCloseTo(0.02 / 100, 12);
    expect(valueOf('failure_rate', makeWorker('new', silent))).toBe(0.01);
  });

  test('is one number for equal rates from different counts', () => {
    // Without rounding 0.3333333333333333 and 0.33333333333333337.
    const few = makeWorker('a', { completed: 2, failed: 1 });
    const many = makeWorker('b', { completed: 8, failed: 4 });
    expect(valueOf('failure_rate', few, many)).toBe(valueOf('failure_rate', many, few));
  });
});

test('costs have floors', () => {
  const idle = makeWorker('w', { cpuLoadPercent: 0, networkLatencyMs: 0.01, energyJoules: 0 });
  expect(valueOf('load', idle)).toBe(1);
  expect(valueOf('cpu', idle)).toBe(100);
  expect(valueOf('latency', idle)).toBe(1);
  expect(valueOf('energy', idle)).toBe(0.001);
});

test('mains counts as a full battery, and so does a pc without one', () => {
  const charging = makeWorker('w', { batteryLevelPercent: 5, batteryCharging: true });
  const desktop = makeWorker('w', { batteryLevelPercent: null }, { type: 'pc' });
  const laptop = makeWorker('w', { batteryLevelPercent: 30 }, { type: 'pc' });
  expect(valueOf('battery', charging)).toBe(100);
  expect(valueOf('battery', desktop)).toBe(100);
  expect(valueOf('battery', laptop)).toBe(30);
});

test('a worker that has finished nothing has the mean throughput and energy', () => {
  const matrix = matrixOf(
    makeWorker('new', silent),
    makeWorker('a', { completed: 10, busySeconds: 10, energyJoules: 20 }),
    makeWorker('b', { completed: 30, busySeconds: 10, energyJoules: 120 }),
  );
  for (const [id, mean] of [
    ['throughput', 2],
    ['energy', 3],
  ] as const) {
    const column = criterionIds.indexOf(id);
    expect(matrix.columns[column]![0]).toBe(mean);
    expect(matrix.imputed(column)[0]).toBe(1);
    expect(matrix.imputed(column)[1]).toBe(0);
  }
});

test('a fresh cluster has a throughput of 0, and leaves out what nobody says', () => {
  const matrix = matrixOf(makeWorker('a', silent), makeWorker('b', silent));
  const present = criterionIds.filter((_, column) => matrix.isPresent(column));
  expect(present).toEqual(['throughput', 'failure_rate']);
  expect(valueOf('throughput', makeWorker('a', silent))).toBe(0);
});

test('the mean that stands in for equal values is exactly that value', () => {
  const equal = [1, 2, 3].map((n) => makeWorker(`w${n}`, { cpuLoadPercent: 0.1 }));
  const matrix = matrixOf(...equal, makeWorker('silent', { cpuLoadPercent: null }));
  expect(new Set(matrix.columns[criterionIds.indexOf('cpu')]!.subarray(0, 4)).size).toBe(1);
});

test('a reading that cannot be is missing', () => {
  const broken = makeWorker('a', { ramAvailableMb: Number.NaN, networkLatencyMs: -3 });
  expect(valueOf('memory', broken, makeWorker('b'))).toBe(4_000);
  expect(valueOf('latency', broken, makeWorker('b'))).toBe(20);
});

test('a projection that is taken back leaves no trace', () => {
  const worker = makeWorker('w', { cpuLoadPercent: 33.3 });
  const matrix = matrixOf(worker, makeWorker('other', { cpuLoadPercent: 33.3 }));
  worker.assignedSinceHeartbeat = 1;
  expect(matrix.project(worker, 0)).toBe(true);
  expect(matrix.project(worker, 0)).toBe(false);
  worker.assignedSinceHeartbeat = 0;
  expect(matrix.project(worker, 0)).toBe(true);
  for (const id of ['cpu', 'load'] as const) {
    const [value, other] = matrix.columns[criterionIds.indexOf(id)]!;
    expect(value).toBe(other);
  }
});

function matrixOf(...workers: MadeWorker[]): DecisionMatrix {
  const matrix = new DecisionMatrix(true);
  matrix.follow({ workers, version: 1 });
  return matrix;
}

/** The value of the first worker, in a cluster with the others. */
function valueOf(id: CriterionId, ...workers: MadeWorker[]): number {
  return matrixOf(...workers).columns[criterionIds.indexOf(id)]![0]!;
}
