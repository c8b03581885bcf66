import { describe, expect, test } from 'vitest';
import { drawPlan } from '../../src/lab/scenario/draw-plan.ts';
import { contenders } from './contenders.ts';
import { devices } from './devices.ts';
import type { LearnedCluster } from './learned.ts';
import { mixes } from './mixes.ts';
import { playRun } from './played-run.ts';
import { compared, scenarioOf, sizesOf } from './scenario-of.ts';

const cluster: LearnedCluster = {
  speeds: [0.1, 0.2, 0.25, 0.4, 0.5],
  startMs: [9, 8, 7, 6, 5],
  latencyMs: 2,
  commitMs: 3,
};
const mixOf = (id: string) => mixes.find((mix) => mix.id === id)!;
const contenderOf = (name: string) => contenders.find((each) => each.name === name)!;

describe('the scenario of a run', () => {
  test('it has the devices as they were measured, in the order of their registration', () => {
    const plan = drawPlan(scenarioOf(contenders[0]!, mixOf('even'), cluster), 1);
    expect(plan.devices.map(({ name }) => name)).toEqual(devices.map(({ name }) => name));
    expect(plan.devices.map(({ speed }) => speed)).toEqual(cluster.speeds);
    expect(plan.devices.map(({ startMs }) => startMs)).toEqual(cluster.startMs);
    expect(plan.commitMs).toBe(3);
  });

  test('the jobs before the one that is compared go to one device each', () => {
    const plan = drawPlan(scenarioOf(contenders[0]!, mixOf('even'), cluster), 1);
    const names = devices.map(({ name }) => name);
    const sentTo = plan.jobs.map(({ requirements }) => requirements?.labels?.['device']);
    expect(sentTo).toEqual([...names, ...names, undefined]);
    const last = plan.jobs.at(-1)!;
    expect(last.name).toBe(compared.job);
    expect(last.workSeconds).toHaveLength(50);
  });

  test.each(mixes)('real tasks of $id get the very sizes that are played', (mix) => {
    for (const seed of [1, 2]) {
      const { jobs } = drawPlan(scenarioOf(contenders[0]!, mix, cluster), seed);
      const played = jobs.find(({ name }) => name === compared.job)!;
      expect([...played.workSeconds]).toEqual(sizesOf(mix, seed));
      expect(played.workSeconds).toHaveLength(mix.tasks);
    }
  });

  test('by speed the four fastest get four tasks, by registration the slowest one of them', async () => {
    const few = mixOf('few');
    const fifo = await playRun(contenderOf('fifo'), few, cluster, 1);
    const edas = await playRun(contenderOf('edas'), few, cluster, 1);
    expect(fifo.tasks).toEqual([1, 1, 1, 1, 0]);
    expect(edas.tasks).toEqual([0, 1, 1, 1, 1]);
    // One second of work, on the slowest that has a task; what it takes to begin one, and the way.
    expect(fifo.makespanSeconds).toBeCloseTo(1 / 0.1 + 0.009 + 0.005, 2);
    expect(edas.makespanSeconds).toBeCloseTo(1 / 0.2 + 0.008 + 0.005, 2);
  });
});
