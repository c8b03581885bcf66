// A run of the lab is recorded as a coordinator of life is, and played again: what the trace says of devices and
// tasks can be compared with what they were.

import { beforeAll, describe, expect, test } from 'vitest';
import type { ToldEvent } from '../../../src/core/told-events.ts';
import { compare } from '../../../src/lab/compare/compare.ts';
import { algorithmContender } from '../../../src/lab/contender.ts';
import { measuresOf } from '../../../src/lab/outcome/measures.ts';
import { drawPlan } from '../../../src/lab/scenario/draw-plan.ts';
import { parseScenario } from '../../../src/lab/scenario/read-scenario.ts';
import { simulate } from '../../../src/lab/simulation.ts';
import { parseTrace } from '../../../src/lab/trace/read-trace.ts';
import type { TraceHead, TraceRecord } from '../../../src/lab/trace/trace-format.ts';
import { TraceRecorder } from '../../../src/lab/trace/trace-recorder.ts';
import { play, runBegan } from '../../../src/lab/world/play.ts';

const head: TraceHead = {
  type: 'trace',
  version: 1,
  muster: 'test',
  began_at: '2026-01-01T00:00:00.000Z',
  heartbeat_seconds: 5,
  lease_seconds: 15,
};

const night = {
  scenario: 'night',
  algorithm: 'fifo',
  devices: [
    { class: 'fast', count: 2, speed: 2, slots: 2 },
    { class: 'slow', count: 3, speed: 0.5, load: 60, labels: { room: 'attic' } },
    {
      class: 'fleeting',
      count: 2,
      presence: { here_seconds: { exponential: { mean: 200 } }, away_seconds: 40 },
    },
  ],
  jobs: [
    {
      job: 'batch',
      tasks: 600,
      work_seconds: { log_normal: { mean: 8, cv: 0.3 } },
      checkpoint_every_seconds: 3,
    },
    {
      job: 'attic',
      tasks: 20,
      work_seconds: 5,
      arrivals: { at_seconds: [100] },
      requirements: { labels: { room: 'attic' } },
    },
  ],
};

describe('a run that was recorded', () => {
  let text = '';
  let lived = Number.NaN;
  const plan = drawPlan(parseScenario(JSON.stringify(night), 'night', '.'), 1);

  beforeAll(async () => {
    const records: TraceRecord[] = [];
    const recorder = new TraceRecorder((record) => records.push(record));
    const config = {
      algorithm: 'fifo' as const,
      weighting: 'manual' as const,
      weights: {},
      updatedAt: 0,
    };
    recorder.begin({ at: runBegan, config, workers: [], jobs: [] });
    const onEvent = (event: ToldEvent) => recorder.hear([event]);
    const played = await play({ plan, seed: 1, algorithm: 'fifo', onEvent });
    lived = measuresOf(played).makespan_seconds!;
    text = [head, ...records].map((each) => `${JSON.stringify(each)}\n`).join('');
  });

  const traceOf = (name = 'night.trace.ndjson') => parseTrace(Buffer.from(text), name);

  test('takes as long again under the algorithm it ran under', async () => {
    const trace = traceOf();
    expect(trace.summary.makespan_seconds).toBeCloseTo(lived, 0);
    const contender = algorithmContender(trace.algorithm);
    const { simulation } = await simulate({ scenario: trace, seed: 7, contender, version: 'test' });
    const { makespan_seconds: makespan, tasks_completed } = simulation.measures;
    expect(tasks_completed).toBe(620);
    expect(Math.abs(makespan! / lived - 1)).toBeLessThan(0.1);
  });

  test('tells how fast its devices were, though they were away, busy and of different tasks', () => {
    const { devices } = traceOf().plan;
    expect(devices).toHaveLength(plan.devices.length);
    // Workers are numbered as they registered: in the order of the plan.
    const ratios = devices.map(({ speed }, i) => speed / plan.devices[i]!.speed);
    const [least, most] = [Math.min(...ratios), Math.max(...ratios)];
    expect(most / least).toBeLessThan(1.25);
  });

  test('tells what else its processors had to do, and what its tasks were worth', () => {
    const { devices, jobs } = traceOf().plan;
    const slow = devices[2]!;
    expect(slow.load[0]!.percent).toBeGreaterThan(50);
    expect(slow.load[0]!.percent).toBeLessThan(70);
    expect(devices[0]!.load[0]!.percent).toBeLessThan(10);
    // In the unit of the trace: only ratios can be told.
    const works = jobs[0]!.workSeconds;
    const unit = works[0]! / plan.jobs[0]!.workSeconds[0]!;
    const ratios = [...works].map((work, i) => work / plan.jobs[0]!.workSeconds[i]! / unit);
    const near = ratios.filter((ratio) => ratio > 0.75 && ratio < 1.33);
    expect(near.length).toBeGreaterThan(560);
  });

  test('keeps requirements, by other words', () => {
    const { devices, jobs } = traceOf().plan;
    expect(text).not.toContain('attic');
    expect(jobs[1]!.requirements).toEqual({ labels: { k1: 'v1' } });
    expect(devices.map(({ labels }) => labels['k1'])).toEqual([
      undefined,
      undefined,
      'v1',
      'v1',
      'v1',
      undefined,
      undefined,
    ]);
  });

  test('is played the same again with a seed, in threads too', async () => {
    const contenders = ['fifo', 'edas'].map((name) => ({ name, contender: { algorithm: name } }));
    const rounds = [{ scenario: traceOf(), seeds: [2] }];
    const options = { rounds, contenders, version: 'test' };
    const one = await compare({ ...options, threads: 1 });
    const two = await compare({ ...options, threads: 2 });
    expect(JSON.stringify(two)).toBe(JSON.stringify(one));
    const [found] = one.scenarios;
    expect(found).toMatchObject({ scenario: 'night', missing: 0, definition: traceOf().summary });
    expect(found!.runs).toHaveLength(2);
  });
});
