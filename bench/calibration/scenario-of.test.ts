import { describe, expect, test } from 'vitest';
import { drawPlan } from '../../src/lab/scenario/draw-plan.ts';
import { contenders } from './contenders.ts';
import { devices } from './devices.ts';
import { mixes } from './mixes.ts';
import { playRun } from './played-run.ts';
import { compared, inHindsight, type MeasuredCluster, scenarioOf, sizesOf } from './scenario-of.ts';
import { cycleSecondsOf, medianOf, speedOf, startMsOf } from './speeds.ts';

const cluster: MeasuredCluster = {
  speeds: [0.1, 0.2, 0.25, 0.4, 0.5],
  startMs: [9, 8, 7, 6, 5],
  latencyMs: 2,
  commitMs: 3,
};
const moments = { warmUp: 2, compared: 8 };
const mixOf = (id: string) => mixes.find((mix) => mix.id === id)!;
const contenderOf = (name: string) => contenders.find((each) => each.name === name)!;

describe('the scenario of a run', () => {
  test('it has the devices as they were measured, in the order of their registration', () => {
    const plan = drawPlan(scenarioOf(contenders[0]!, mixOf('even'), cluster, moments), 1);
    expect(plan.devices.map(({ name }) => name)).toEqual(devices.map(({ name }) => name));
    expect(plan.devices.map(({ speed }) => speed)).toEqual(cluster.speeds);
    expect(plan.devices.map(({ startMs }) => startMs)).toEqual(cluster.startMs);
    expect(plan.commitMs).toBe(3);
  });

  test('jobs come when the real ones came, and those before it go to one device each', () => {
    const plan = drawPlan(scenarioOf(contenders[0]!, mixOf('even'), cluster, moments), 1);
    const begin = plan.jobs[0]!.atMs;
    expect(plan.jobs.map(({ atMs }) => (atMs - begin) / 1000)).toEqual([
      ...devices.map(() => 0),
      ...devices.map(() => moments.warmUp),
      moments.compared,
    ]);
    expect(plan.jobs.map(({ requirements }) => requirements?.labels?.['device'])).toEqual([
      ...devices.map(({ name }) => name),
      ...devices.map(({ name }) => name),
      undefined,
    ]);
  });

  test.each(mixes)('real tasks of $id get the very sizes that are played', (mix) => {
    for (const seed of [1, 2]) {
      const { jobs } = drawPlan(scenarioOf(contenders[0]!, mix, cluster, moments), seed);
      const played = jobs.find(({ name }) => name === compared)!;
      expect([...played.workSeconds]).toEqual(sizesOf(mix, seed));
      expect(played.workSeconds).toHaveLength(mix.tasks);
    }
  });

  test('by speed the four fastest get four tasks, by registration the slowest one of them', async () => {
    const few = mixOf('few');
    const fifo = await playRun(contenderOf('fifo'), few, { cluster, moments }, 1);
    const edas = await playRun(contenderOf('edas'), few, { cluster, moments }, 1);
    expect(fifo.tasks).toEqual([1, 1, 1, 1, 0]);
    expect(edas.tasks).toEqual([0, 1, 1, 1, 1]);
    // One second of work, on the slowest that has a task; what it takes to begin one, and the way.
    expect(fifo.makespanSeconds).toBeCloseTo(1 / 0.1 + 0.009 + 0.005, 2);
    expect(edas.makespanSeconds).toBeCloseTo(1 / 0.2 + 0.008 + 0.005, 2);
  });
});

test('in hindsight devices are as they were, and those that had no task as they had been', () => {
  const during = [
    { speed: 0.12, betweenMs: 20 },
    { speed: 0.3, betweenMs: null },
    null,
    null,
    null,
  ];
  const seen = inHindsight(cluster, during);
  expect(seen.speeds).toEqual([0.12, 0.3, 0.25, 0.4, 0.5]);
  // The way to the coordinator and back is told apart.
  expect(seen.startMs).toEqual([15, 8, 7, 6, 5]);
  expect([seen.latencyMs, seen.commitMs]).toEqual([2, 3]);
});

describe('what attempts tell', () => {
  const attempts = (ran: readonly number[], ends: readonly number[]) =>
    ran.map((seconds, i) => ({
      ran_seconds: seconds,
      ended_at: new Date(1000 * ends[i]!).toISOString(),
    })) as unknown as Parameters<typeof speedOf>[0]['attempts'];

  test('speed is work over run time', () => {
    expect(speedOf({ attempts: attempts([2, 3], [2, 6]) }, 0.5)).toBeCloseTo(1 / 5, 12);
  });

  test('a device that does not say how long anything ran has no speed', () => {
    expect(() => speedOf({ attempts: attempts([0], [1]) }, 0.5)).toThrow(/how long it ran/);
  });

  test('a cycle is from end to end, and what is neither work nor way is the begin', () => {
    const cycle = cycleSecondsOf({ attempts: attempts([1, 1, 1], [1, 2.1, 3.2]) });
    expect(cycle).toBeCloseTo(1.1, 9);
    const begin = startMsOf(cycle, { workSeconds: 0.2, speed: 0.2, wayMs: 30 });
    expect(begin).toBeCloseTo(70, 6);
    expect(startMsOf(0.9, { workSeconds: 0.2, speed: 0.2, wayMs: 30 })).toBe(0);
  });

  test('the median is the one in the middle, or between the two', () => {
    expect([medianOf([3, 1, 2]), medianOf([4, 1, 2, 3]), medianOf([7])]).toEqual([2, 2.5, 7]);
  });
});
