import { expect, test } from 'vitest';
import { batteryOf } from './battery-of.ts';
import type { RecordOf } from './trace-format.ts';

const hourMs = 3_600_000;

function sample(hours: number, level: number | null, isCharging = false): RecordOf<'telemetry'> {
  return {
    type: 'telemetry',
    at_ms: hours * hourMs,
    worker: 1,
    cpu_load_percent: null,
    ram_available_mb: null,
    battery_level_percent: level,
    battery_charging: isCharging,
    network_latency_ms: null,
    network_bandwidth_mbps: null,
  };
}

function busy(fromHours: number, toHours: number): RecordOf<'attempt'> {
  return {
    type: 'attempt',
    job: 1,
    index: 0,
    attempt: 1,
    worker: 1,
    assigned_ms: null,
    started_ms: fromHours * hourMs,
    ended_ms: toHours * hourMs,
    outcome: 'completed',
    run_ms: (toHours - fromHours) * hourMs,
    cpu_seconds: null,
    checkpoints: 0,
    checkpoint_bytes: null,
    resumed_from: null,
    run_before_ms: 0,
    result_bytes: null,
  };
}

function batteryFrom(samples: RecordOf<'telemetry'>[], attempts: RecordOf<'attempt'>[] = []) {
  return batteryOf({ worker: 1, described: null, moves: [], samples, attempts });
}

test('who says nothing of a battery has none', () => {
  expect(batteryFrom([sample(0, null), sample(1, null)])).toBeNull();
});

test('the drain of rest and that of a busy slot are told apart', () => {
  // At rest 4 percent an hour, 10 more with a busy slot.
  const battery = batteryFrom(
    [sample(0, 90), sample(1, 86), sample(2, 72), sample(3, 63)],
    [busy(1, 2.5)],
  );
  expect(battery).toMatchObject({ levelPercent: 90, isCharging: false, chargePercentPerHour: 0 });
  expect(battery!.idlePercentPerHour).toBeCloseTo(4, 6);
  expect(battery!.busyPercentPerHour).toBeCloseTo(10, 6);
});

test('one that was always as busy drains as it did', () => {
  const battery = batteryFrom([sample(0, 80), sample(1, 74), sample(2, 68)], [busy(0, 2)]);
  expect(battery!.idlePercentPerHour).toBeCloseTo(6, 6);
  expect(battery!.busyPercentPerHour).toBe(0);
});

test('one that is charged gains what it gained', () => {
  const levels = [sample(0, 50, true), sample(1, 62, true), sample(2, 74, true)];
  expect(batteryFrom(levels)).toMatchObject({
    isCharging: true,
    idlePercentPerHour: 0,
    chargePercentPerHour: 12,
  });
});
