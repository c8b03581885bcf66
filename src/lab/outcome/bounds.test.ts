import { describe, expect, test } from 'vitest';
import { drawPlan } from '../scenario/draw-plan.ts';
import { parseScenario } from '../scenario/read-scenario.ts';
import { boundsOf } from './bounds.ts';

function bounds(devices: object[], jobs: object[], files: Readonly<Record<string, never>> = {}) {
  const text = JSON.stringify({ scenario: 'test', devices, jobs, ...files });
  return boundsOf(drawPlan(parseScenario(text, 'test', '.'), 1));
}

describe('boundsOf', () => {
  test('equal tasks that fill equal devices: the bound is reached', () => {
    const found = bounds([{ class: 'pc', count: 4 }], [{ job: 'a', tasks: 8, work_seconds: 3 }]);
    expect(found).toEqual({ lower_bound_seconds: 6, longest_first_seconds: 6 });
  });

  test('no schedule is shorter than the longest task on the fastest device', () => {
    const found = bounds(
      [
        { class: 'fast', count: 1, speed: 2 },
        { class: 'slow', count: 9 },
      ],
      [{ job: 'a', tasks: 1, work_seconds: 10 }],
    );
    expect(found).toEqual({ lower_bound_seconds: 5, longest_first_seconds: 5 });
  });

  test('two long tasks need the two fastest places', () => {
    const found = bounds(
      [
        { class: 'fast', count: 1, speed: 3 },
        { class: 'slow', count: 5, speed: 1 },
      ],
      [{ job: 'a', tasks: 2, work_seconds: 12 }],
    );
    // 24 of work for speeds 3 + 1; longest first does both on the fast one, one after the other.
    expect(found).toEqual({ lower_bound_seconds: 6, longest_first_seconds: 8 });
  });

  test('what comes late cannot be done before', () => {
    const found = bounds(
      [{ class: 'pc', count: 2 }],
      [{ job: 'a', arrivals: { at_seconds: [0, 100] }, tasks: 4, work_seconds: 5 }],
    );
    expect(found).toEqual({ lower_bound_seconds: 110, longest_first_seconds: 110 });
  });

  test('slots without cores of their own add nothing', () => {
    const found = bounds(
      [{ class: 'phone', count: 1, slots: 4, cores: 2 }],
      [{ job: 'a', tasks: 4, work_seconds: 5 }],
    );
    expect(found).toEqual({ lower_bound_seconds: 10, longest_first_seconds: 10 });
  });

  test('tasks that wait fill slots without cores of their own, and need cores for what they compute', () => {
    const text = JSON.stringify({
      scenario: 'test',
      devices: [{ class: 'phone', count: 1, slots: 4, cores: 1 }],
      jobs: [{ job: 'a', tasks: 8, work_seconds: 5 }],
    });
    const plan = drawPlan(parseScenario(text, 'test', '.'), 1);
    const waiting = (cpuShares: number) =>
      boundsOf({ ...plan, jobs: plan.jobs.map((job) => ({ ...job, cpuShares })) });
    expect(waiting(0.25)).toEqual({ lower_bound_seconds: 10, longest_first_seconds: 10 });
    expect(waiting(0.5)).toEqual({ lower_bound_seconds: 20, longest_first_seconds: 20 });
    expect(waiting(1)).toEqual({ lower_bound_seconds: 40, longest_first_seconds: 40 });
  });
});
