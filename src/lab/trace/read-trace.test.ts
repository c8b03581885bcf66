import { describe, expect, test } from 'vitest';
import { boundsOf } from '../outcome/bounds.ts';
import { readTrace, parseTrace } from './read-trace.ts';
import { replayOf } from './recorded-plan.ts';
import { TraceFault } from './trace-fault.ts';
import type { RecordOf } from './trace-format.ts';

const head = {
  type: 'trace',
  version: 1,
  muster: '1.0.0',
  began_at: '2026-01-01T20:00:00.000Z',
  heartbeat_seconds: 5,
  lease_seconds: 15,
};

function scheduler(at_ms: number, algorithm: RecordOf<'scheduler'>['algorithm']): object {
  return { type: 'scheduler', at_ms, algorithm, weighting: 'manual', weights: {} };
}

function submitted(job: number, tasks: number, more: object = {}): object {
  return {
    type: 'job',
    at_ms: 0,
    job,
    tasks,
    is_from_before: false,
    is_held: false,
    priority: 0,
    task_priorities: null,
    requirements: null,
    speculation: null,
    max_attempts: 3,
    max_lost_attempts: 20,
    checkpoint_interval_ms: null,
    input_bytes: 10,
    ...more,
  };
}

function joined(worker: number, more: object = {}): object {
  return {
    type: 'worker_joined',
    at_ms: 0,
    worker,
    device: 'pc',
    platform: 'linux',
    isolation: 'ses',
    slots: 1,
    cores: 1,
    labels: {},
    ...more,
  };
}

function attempt(worker: number, index: number, [from, to]: [number, number], more: object = {}) {
  return {
    type: 'attempt',
    job: 1,
    index,
    attempt: 1,
    worker,
    assigned_ms: from,
    started_ms: from,
    ended_ms: to,
    outcome: 'completed',
    run_ms: to - from,
    cpu_seconds: null,
    checkpoints: 0,
    checkpoint_bytes: null,
    resumed_from: null,
    run_before_ms: 0,
    result_bytes: 4,
    ...more,
  };
}

const end = { type: 'end', at_ms: 60_000, why: 'stopped' };

function textOf(...records: object[]): string {
  return [head, ...records].map((each) => `${JSON.stringify(each)}\n`).join('');
}

function parse(text: string) {
  return parseTrace(Buffer.from(text), 'folder/night.trace.ndjson');
}

const small = [
  scheduler(0, 'fifo'),
  joined(1),
  joined(2),
  submitted(1, 4),
  attempt(1, 0, [0, 2000]),
  attempt(2, 1, [0, 4000]),
  attempt(1, 2, [2000, 4000]),
];

describe('parseTrace', () => {
  test('work is run time × speed; what did not complete takes the median of its job', () => {
    const { plan, scenario, algorithm, summary, notes } = parse(textOf(...small, end));
    expect(scenario).toBe('night');
    expect(algorithm).toBe('fifo');
    const [one, two] = plan.devices;
    expect(one!.speed / two!.speed).toBeCloseTo(2, 9);
    const [a, b, c, d] = plan.jobs[0]!.workSeconds;
    expect([b! / a!, c! / a!, d! / a!].map((ratio) => ratio.toFixed(6))).toEqual([
      '1.000000',
      '1.000000',
      '1.000000',
    ]);
    expect(summary).toMatchObject({ tasks: 4, tasks_completed: 3, makespan_seconds: null });
    expect(notes).toEqual([
      '1 of 4 tasks did not complete in it: what failed takes as long as it did, what was not done the median of its job.',
    ]);
  });

  test('a trace of which the last line is cut is played without it, and says so', () => {
    const text = textOf(...small);
    const { plan, notes } = parse(text.slice(0, -20));
    expect(plan.jobs[0]!.workSeconds).toHaveLength(4);
    expect(notes[0]).toBe(
      'The last line of the trace is cut off and left out: its coordinator did not end in order.',
    );
    expect(notes[1]).toMatch(/^2 of 4 tasks/);
    expect(parse(text).notes[0]).toMatch(/^The trace has no end/);
  });

  test.each<[string, string, RegExp]>([
    ['an empty file', '', /is empty: nothing was recorded/],
    ['a file of something else', '{"a": 1}\n', /is no trace: its first line/],
    ['no JSON', 'hello\n', /is no trace/],
    [
      'a newer form',
      textOf().replace('"version":1', '"version":2'),
      /is of version 2 of the form of traces, and this Muster reads up to 1/,
    ],
    [
      'a moment that nobody lives to see',
      textOf(joined(1), scheduler(1e15, 'fifo')),
      /at_ms: Too big/,
    ],
    ['more tasks than a job can have', textOf(submitted(1, 1e9)), /tasks: Too big/],
    [
      'more tasks than a run can hold',
      textOf(scheduler(0, 'fifo'), submitted(1, 6e6), submitted(2, 6e6)),
      /more than 10000000 tasks/,
    ],
    ['a damaged line', textOf().concat('{"type":\n'), /line 2: this is no record/],
    [
      'a wrong value',
      textOf({ ...scheduler(0, 'fifo'), algorithm: 'best' }),
      /line 2: algorithm: /,
    ],
    ['no job', textOf(scheduler(0, 'fifo'), end), /holds no job: there is nothing to play/],
    [
      'no completed task',
      textOf(scheduler(0, 'fifo'), joined(1), submitted(1, 4), end),
      /no task completed in it, so nothing is known of how long its tasks take/,
    ],
  ])('%s is answered with a sentence', (_, text, sentence) => {
    expect(() => parse(text)).toThrow(TraceFault);
    expect(() => parse(text)).toThrow(sentence);
  });

  test('a file that is not there is told', () => {
    expect(() => readTrace('nowhere.ndjson', '/')).toThrow(/^nowhere\.ndjson cannot be read: /);
  });

  test('records of types that it does not know are skipped', () => {
    const { summary } = parse(textOf({ type: 'weather', at_ms: 0 }, ...small, end));
    expect(summary.tasks).toBe(4);
  });

  test('of a job that was cancelled only the tasks that began are played', () => {
    const cancelled = { type: 'job_ended', at_ms: 5000, job: 1, status: 'cancelled' };
    const { plan, summary } = parse(textOf(...small, cancelled, end));
    expect(plan.jobs[0]!.workSeconds).toHaveLength(3);
    expect(summary.makespan_seconds).toBe(5);
  });

  test('of a job from before the recording those are played that were open', () => {
    const before = [...small];
    before[3] = submitted(1, 5, { is_from_before: true, at_ms: 0 });
    const { plan } = parse(textOf(...before, end));
    expect(plan.jobs[0]!.workSeconds).toHaveLength(5);
  });

  test('a job that began held comes when it was released', () => {
    const held = submitted(2, 1, { is_held: true, at_ms: 1000 });
    const released = { type: 'job_released', at_ms: 9000, job: 2 };
    const { plan } = parse(textOf(...small, held, released, end));
    expect(plan.jobs.map(({ atMs }) => atMs)).toEqual([0, 9000]);
    expect(parse(textOf(...small, held, end)).plan.jobs).toHaveLength(1);
  });

  test('a task that went on from a checkpoint has the work before it, by the speed of whoever did it', () => {
    const resumed = [
      attempt(2, 3, [4000, 8000], { outcome: 'lost', checkpoints: 2, checkpoint_bytes: 50 }),
      attempt(1, 3, [8000, 9000], { attempt: 2, resumed_from: 0.5, run_before_ms: 4000 }),
    ];
    const { plan } = parse(textOf(...small, ...resumed, end));
    const { workSeconds, checkpoints } = plan.jobs[0]!;
    // 4 s of the slow one and 1 s of the fast one, where the whole task takes 2 s of the fast one.
    expect(workSeconds[3]! / workSeconds[0]!).toBeCloseTo(1.5, 9);
    expect(checkpoints).toBeNull();
  });

  test('run times on a processor that others use are not taken for work', () => {
    const telemetry = (at_ms: number) => ({
      type: 'telemetry',
      at_ms,
      worker: 2,
      cpu_load_percent: 100,
      ram_available_mb: null,
      battery_level_percent: null,
      battery_charging: null,
      network_latency_ms: null,
      network_bandwidth_mbps: null,
    });
    const busy = small.map((each, i) =>
      i === 5 ? attempt(2, 1, [0, 4000], { cpu_seconds: 2 }) : each,
    );
    const { plan } = parse(textOf(...busy, telemetry(1), telemetry(4000), end));
    const [one, two] = plan.devices;
    // It had half of its time: it is as fast as the other.
    expect(two!.speed / one!.speed).toBeCloseTo(1, 2);
    expect(two!.load[0]).toEqual({ percent: 100, forMs: 4000 });
    expect(one!.says.cpu).toBe(false);
  });

  test('tasks that wait are played as what they are, on a machine that is busy', () => {
    const samples = [1, 4000].map((at_ms) => ({
      type: 'telemetry',
      at_ms,
      worker: 1,
      cpu_load_percent: 100,
      ram_available_mb: null,
      battery_level_percent: null,
      battery_charging: null,
      network_latency_ms: null,
      network_bandwidth_mbps: null,
    }));
    const sleeps = [0, 1000, 2000, 3000].map((from, index) =>
      attempt(1, index, [from, from + 1000], { cpu_seconds: 0.01 }),
    );
    const ended = { type: 'job_ended', at_ms: 4000, job: 1, status: 'completed' };
    const { plan } = parse(
      textOf(scheduler(0, 'fifo'), joined(1), submitted(1, 4), ...sleeps, ...samples, ended, end),
    );
    const [job] = plan.jobs;
    expect(job!.cpuShares).toEqual(new Float64Array(4).fill(0.01));
    expect(job!.workSeconds.every((work) => work > 0.99 && work <= 1)).toBe(true);
    expect(boundsOf(replayOf({ plan })).lower_bound_seconds).toBeGreaterThan(3.96);
  });

  test('what a scheduler was asked to do most is its own algorithm', () => {
    const { algorithm, notes } = parse(
      textOf(scheduler(0, 'fifo'), ...small.slice(1, 5), scheduler(100, 'edas'), end),
    );
    expect(algorithm).toBe('fifo');
    expect(notes.at(-1)).toMatch(/configured anew in it: fifo is taken/);
  });
});
