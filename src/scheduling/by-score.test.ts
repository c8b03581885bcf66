import { describe, expect, test } from 'vitest';
import { defaultWeights, type Snapshot, type WorkerView } from '../core/snapshot.ts';
import { byScore } from './by-score.ts';

const observed = {
  cpuLoadPercent: null,
  ramAvailableMb: null,
  batteryLevelPercent: null,
  batteryCharging: null,
  networkLatencyMs: null,
  networkBandwidthMbps: null,
  completed: 0,
  failed: 0,
  busySeconds: 0,
  smoothedTaskMs: null,
  energyJoules: null,
};

function snapshotOf(
  slots: readonly number[],
): Snapshot & { readonly workers: { activeTasks: number }[] } {
  const workers = slots.map((count, i) => ({
    id: `w${i}`,
    type: 'pc',
    slots: count,
    activeTasks: 0,
    assignedSinceHeartbeat: 0,
    idleSince: 0,
    observed,
  }));
  return { workers, version: 1 };
}

const config = {
  algorithm: 'fifo',
  weighting: 'manual',
  weights: defaultWeights,
  updatedAt: 0,
} as const;
const freeShare = ({ slots, activeTasks }: WorkerView) => (slots - activeTasks) / slots;

describe('byScore', () => {
  test('gives each task to the largest score, which a task changes', () => {
    const snapshot = snapshotOf([1, 4]);
    const scheduler = byScore(freeShare)(config);
    scheduler.begin(snapshot);
    const contest = scheduler.contest(new Uint8Array([1, 1]));
    const order: number[] = [];
    for (let i = 0; i < 3; i++) {
      const row = contest.best();
      order.push(row);
      snapshot.workers[row]!.activeTasks++;
      contest.take(row);
    }
    // Of equal scores the first in order, then the one that has more left.
    expect(order).toEqual([0, 1, 1]);
  });

  test('ranks by score, and tells why', () => {
    const snapshot = snapshotOf([2, 4]);
    snapshot.workers[0]!.activeTasks = 1;
    const scheduler = byScore(freeShare)(config);
    scheduler.begin(snapshot);
    const ranking = scheduler.rank(new Uint8Array([1, 1]));
    expect(ranking.workers.map(({ workerId, score }) => [workerId, score])).toEqual([
      ['w1', 1],
      ['w0', 0.5],
    ]);
    expect(ranking.reason).toBe('largest score 1');
  });

  test('a score that is no number is refused with the worker', () => {
    const scheduler = byScore(() => Number.NaN)(config);
    expect(() => scheduler.begin(snapshotOf([1]))).toThrow('worker w0 is NaN');
  });
});
