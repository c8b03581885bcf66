import { describe, expect, test } from 'vitest';
import type { RecordOf } from './trace-format.ts';
import type { TracedWorker } from './trace.ts';
import { loadOf } from './worker-load.ts';

function attempt(from: number, to: number, cpuSeconds: number | null): RecordOf<'attempt'> {
  return {
    type: 'attempt',
    job: 1,
    index: 0,
    attempt: 1,
    worker: 1,
    assigned_ms: from,
    started_ms: from,
    ended_ms: to,
    outcome: 'completed',
    run_ms: to - from,
    cpu_seconds: cpuSeconds,
    checkpoints: 0,
    checkpoint_bytes: null,
    resumed_from: null,
    run_before_ms: 0,
    result_bytes: null,
  };
}

function loads(...samples: readonly (readonly [number, number])[]): RecordOf<'telemetry'>[] {
  return samples.map(([at_ms, percent]) => ({
    type: 'telemetry',
    at_ms,
    worker: 1,
    cpu_load_percent: percent,
    ram_available_mb: null,
    battery_level_percent: null,
    battery_charging: null,
    network_latency_ms: null,
    network_bandwidth_mbps: null,
  }));
}

function worker(cores: number, attempts: RecordOf<'attempt'>[], samples: RecordOf<'telemetry'>[]) {
  const about = { device: 'pc', platform: 'linux', isolation: 'ses', slots: 4, labels: {} };
  const described = { type: 'worker_joined' as const, at_ms: 0, worker: 1, cores, ...about };
  return { worker: 1, described, moves: [], samples, attempts } satisfies TracedWorker;
}

describe('loadOf', () => {
  test('others have what is measured without what its own tasks used', () => {
    // Two cores; one task uses half of one for five of ten seconds: 12.5 percent.
    const { others } = loadOf(
      worker(2, [attempt(5000, 10_000, 2.5)], loads([0, 90], [10_000, 40], [20_000, 30])),
    );
    expect(others).toEqual([
      { percent: 28, forMs: 10_000 },
      { percent: 30, forMs: 10_000 },
      { percent: 29, forMs: Infinity },
    ]);
  });

  test('a task of which no CPU time is known counts as one core', () => {
    const { others } = loadOf(worker(4, [attempt(0, 10_000, null)], loads([0, 0], [10_000, 60])));
    expect(others[0]).toEqual({ percent: 35, forMs: 10_000 });
  });

  test('on a processor without rest what was asked for is divided as what was used', () => {
    const run = attempt(0, 10_000, 6.25);
    const load = loadOf(worker(1, [run], loads([0, 0], [10_000, 100])));
    // The task had 62.5 percent, so others asked for 60 beside its 100.
    expect(load.others[0]).toEqual({ percent: 60, forMs: 10_000 });
    expect(load.ownSeconds(run)).toBeCloseTo(6.25, 6);
  });

  test('tasks that shared a core with each other had it to themselves for half of the time', () => {
    const [one, two] = [attempt(0, 4000, null), attempt(2000, 6000, null)];
    const load = loadOf(worker(1, [one, two], []));
    expect(load.ownSeconds(one)).toBeCloseTo(3, 6);
    expect(load.ownSeconds(two)).toBeCloseTo(3, 6);
    expect(load.others).toEqual([{ percent: 0, forMs: Infinity }]);
  });

  test('a task that had far less of a core than its part waited, and lost nothing', () => {
    const run = attempt(0, 10_000, 0.2);
    const load = loadOf(worker(2, [run], loads([0, 0], [10_000, 100])));
    expect(load.ownSeconds(run)).toBeCloseTo(10, 1);
    expect(load.cpuShare(run)).toBe(0.02);
    expect(load.others[0]).toEqual({ percent: 99, forMs: 10_000 });
  });

  test('beside tasks that wait one that computes has its core to itself', () => {
    const [waits, computes] = [attempt(0, 10_000, 0.1), attempt(0, 10_000, 9.9)];
    const load = loadOf(worker(1, [waits, computes], loads([0, 0], [10_000, 100])));
    expect(load.ownSeconds(computes)).toBeCloseTo(9.9, 1);
    expect(load.cpuShare(computes)).toBeGreaterThanOrEqual(0.99);
    expect(load.ownSeconds(waits)).toBeCloseTo(10, 0);
  });
});
