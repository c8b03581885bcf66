import { describe, expect, test } from 'vitest';
import { draw } from '../chance/draw.ts';
import { streamOf } from '../chance/stream.ts';
import { estimateSpeeds, type RunTime } from './speeds.ts';

/** Run times of tasks whose work is drawn, on workers whose speeds are planted. */
function runTimesOf(
  jobs: readonly { readonly mean: number; readonly on: readonly number[]; readonly each: number }[],
  speeds: Readonly<Record<number, number>>,
  cv: number,
): readonly RunTime[] {
  return jobs.flatMap(({ mean, on, each }, job) => {
    const stream = streamOf(1, 'job', job);
    return on.flatMap((worker) =>
      Array.from({ length: each }, () => ({
        job,
        worker,
        seconds: draw({ log_normal: { mean, cv } }, stream) / speeds[worker]!,
      })),
    );
  });
}

describe('estimateSpeeds', () => {
  test('finds planted speeds exactly where tasks of a job are of one size', () => {
    const speeds = { 1: 0.25, 2: 1, 3: 4 };
    const { byWorker, groups } = estimateSpeeds(
      runTimesOf([{ mean: 8, on: [1, 2, 3], each: 3 }], speeds, 0),
    );
    expect(groups).toBe(1);
    for (const [worker, speed] of Object.entries(speeds)) {
      expect(byWorker.get(Number(worker))).toBeCloseTo(speed, 9);
    }
  });

  test('workers that share no job are compared by way of one that each of them shares with another', () => {
    const speeds = { 1: 0.5, 2: 1, 3: 3 };
    const chain = [
      { mean: 100, on: [1, 2], each: 1 },
      { mean: 1, on: [2, 3], each: 40 },
    ];
    const { byWorker, groups } = estimateSpeeds(runTimesOf(chain, speeds, 0));
    expect(groups).toBe(1);
    expect(byWorker.get(3)! / byWorker.get(1)!).toBeCloseTo(6, 6);
  });

  test('finds planted speeds within a tenth where sizes differ much', () => {
    const speeds = { 1: 0.4, 2: 0.8, 3: 1, 4: 1.5, 5: 2 };
    const on = [1, 2, 3, 4, 5];
    const jobs = [
      { mean: 10, on, each: 200 },
      { mean: 0.5, on, each: 200 },
    ];
    const { byWorker } = estimateSpeeds(runTimesOf(jobs, speeds, 0.8));
    for (const [worker, speed] of Object.entries(speeds)) {
      const ratio = byWorker.get(Number(worker))! / speed;
      expect(ratio).toBeGreaterThan(0.9);
      expect(ratio).toBeLessThan(1.1);
    }
  });

  test('who ran mostly long tasks is not taken for slow', () => {
    const speeds = { 1: 1, 2: 1, 3: 1 };
    const jobs = [
      { mean: 60, on: [1, 2], each: 20 },
      { mean: 1, on: [2, 3], each: 20 },
    ];
    const { byWorker } = estimateSpeeds(runTimesOf(jobs, speeds, 0));
    expect([...byWorker.values()].map((speed) => Math.round(speed * 1e6) / 1e6)).toEqual([1, 1, 1]);
  });

  test('workers that nothing connects are groups of their own, each with 1 as its median', () => {
    const jobs = [
      { mean: 5, on: [1], each: 2 },
      { mean: 50, on: [2], each: 2 },
    ];
    const { byWorker, groups } = estimateSpeeds(runTimesOf(jobs, { 1: 1, 2: 1 }, 0));
    expect(groups).toBe(2);
    expect([...byWorker]).toEqual([
      [1, 1],
      [2, 1],
    ]);
  });
});
