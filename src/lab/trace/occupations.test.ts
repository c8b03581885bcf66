import { expect, test } from 'vitest';
import { occupationsOf } from './occupations.ts';
import type { RecordOf } from './trace-format.ts';

function attempt(assigned: number, from: number, to: number): RecordOf<'attempt'> {
  return {
    type: 'attempt',
    job: 1,
    index: 0,
    attempt: 1,
    worker: 1,
    assigned_ms: assigned,
    started_ms: from,
    ended_ms: to,
    outcome: 'completed',
    run_ms: to - from,
    cpu_seconds: null,
    checkpoints: 0,
    checkpoint_bytes: null,
    resumed_from: null,
    run_before_ms: 0,
    result_bytes: null,
  };
}

function occupied(slots: number, roundTripMs: number, attempts: RecordOf<'attempt'>[]) {
  const about = { device: 'pc', platform: 'linux', isolation: 'ses', cores: null, labels: {} };
  const described = { type: 'worker_joined' as const, at_ms: 0, worker: 1, slots, ...about };
  const found = occupationsOf({ described, attempts }, roundTripMs);
  return attempts.map((each) => found.get(each));
}

test('an attempt keeps its slot from its assignment on, less the way, and then from when it is free', () => {
  const attempts = [attempt(0, 500, 1000), attempt(0, 1030, 2000), attempt(2500, 2600, 3000)];
  expect(occupied(1, 40, attempts)).toEqual([40, 1000, 2540]);
});

test('beside others it has the slot that became free last', () => {
  const attempts = [attempt(0, 10, 100), attempt(0, 20, 300), attempt(0, 310, 400)];
  expect(occupied(2, 0, attempts)).toEqual([0, 0, 300]);
});

test('runs that overlap by what messages take keep no slot before they began', () => {
  expect(occupied(1, 5, [attempt(0, 5, 100), attempt(0, 98, 200)])).toEqual([5, 98]);
});
