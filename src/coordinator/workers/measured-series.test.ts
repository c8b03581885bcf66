import { expect, test } from 'vitest';
import type { MeasuredTelemetry } from '../../core/commands.ts';
import type { ToldEvent } from '../../core/told-events.ts';
import { MeasuredSeries } from './measured-series.ts';

/** A full minute, which is the begin of a point. */
const begin = Date.parse('2026-05-04T09:30:00Z');
const second = 1_000;
const cpu = ['cpu'] as const;

const unknown: MeasuredTelemetry = {
  cpuLoadPercent: null,
  ramAvailableMb: null,
  batteryLevelPercent: null,
  batteryCharging: null,
  networkLatencyMs: null,
  networkBandwidthMbps: null,
};

function observed(seconds: number, measured: Partial<MeasuredTelemetry>, id = 'worker'): ToldEvent {
  const at = begin + seconds * second;
  const rest = { telemetryJson: '{}', leaving: false, at };
  return {
    type: 'worker_observed',
    worker: { id },
    measured: { ...unknown, ...measured },
    ...rest,
  };
}

function load(seconds: number, cpuLoadPercent: number): ToldEvent {
  return observed(seconds, { cpuLoadPercent });
}

/** Of a heartbeat every five seconds. */
function made(...events: ToldEvent[]): MeasuredSeries {
  const series = new MeasuredSeries(() => 5_000);
  series.observe(events);
  return series;
}

test('a point every five seconds, oldest first, up to the last one that is over', () => {
  const series = made(load(1, 10), load(6, 20), load(11, 30));
  const asked = { names: cpu, points: 3 };
  expect(series.of('worker', asked, begin + 14.999 * second)).toEqual({
    until: '2026-05-04T09:30:10.000Z',
    seconds_per_point: 5,
    cpu: [null, 10, 20],
  });
  expect(series.of('worker', asked, begin + 15 * second)).toEqual({
    until: '2026-05-04T09:30:15.000Z',
    seconds_per_point: 5,
    cpu: [10, 20, 30],
  });
});

test('each of the three lines has what was measured of it, and only what is asked for is told', () => {
  const measured = { cpuLoadPercent: 81.3, ramAvailableMb: 16_384, batteryLevelPercent: 55.5 };
  const series = made(observed(1, measured));
  const now = begin + 5 * second;
  expect(series.of('worker', { names: ['cpu', 'ram', 'battery'], points: 1 }, now)).toMatchObject({
    cpu: [81.3],
    ram: [16_384],
    battery: [55.5],
  });
  expect(Object.keys(series.of('worker', { names: ['ram'], points: 1 }, now))).toEqual([
    'until',
    'seconds_per_point',
    'ram',
  ]);
});

test('within a point the last measurement counts', () => {
  const series = made(load(1, 10), load(4, 40));
  expect(series.of('worker', { names: cpu, points: 1 }, begin + 5 * second).cpu).toEqual([40]);
});

test('a value holds until the next heartbeat is late, then it is not known', () => {
  const series = made(load(0, 10), load(30, 70));
  const { cpu: line } = series.of('worker', { names: cpu, points: 8 }, begin + 40 * second);
  expect(line).toEqual([10, 10, 10, null, null, null, 70, 70]);
  const { cpu: held } = series.of('worker', { names: cpu, points: 2 }, begin + 15 * second);
  expect(held).toEqual([10, 10]);
});

test('five minutes are kept and nothing longer', () => {
  const events = Array.from({ length: 200 }, (_, point) => load(point * 5, point % 100));
  const series = made(...events);
  const { cpu: line } = series.of('worker', { names: cpu, points: 60 }, begin + 1_000 * second);
  expect(line).toEqual(Array.from({ length: 60 }, (_, i) => (140 + i) % 100));
  const later = series.of('worker', { names: cpu, points: 60 }, begin + 2_000 * second);
  expect(later.cpu).toEqual(Array.from({ length: 60 }, () => null));
});

test('after a long silence, and after the clock was set back, nothing of before is taken for new', () => {
  const series = made(load(0, 10), load(5, 20), load(4_000, 30));
  const asked = { names: cpu, points: 3 };
  expect(series.of('worker', asked, begin + 4_005 * second).cpu).toEqual([null, null, 30]);
  series.observe([load(5, 40)]);
  expect(series.of('worker', asked, begin + 10 * second).cpu).toEqual([null, null, 40]);
  expect(series.of('worker', asked, begin + 4_005 * second).cpu).toEqual([null, null, null]);
});

test('workers have a line each, which goes with them', () => {
  const series = made(load(0, 10), observed(0, { cpuLoadPercent: 90 }, 'other'));
  const asked = { names: cpu, points: 1 };
  const told = () => ['worker', 'other'].map((id) => series.of(id, asked, begin + 5 * second).cpu);
  expect(told()).toEqual([[10], [90]]);
  const worker = { id: 'other', name: null, status: 'offline' } as const;
  const at = begin + 6 * second;
  series.observe([{ type: 'worker_deregistered', worker, because: 'asked', at }]);
  expect(told()).toEqual([[10], [null]]);
  series.observe([{ type: 'database_cleared', generation: 2, jobs: 0, at }]);
  expect(told()).toEqual([[null], [null]]);
});

test('what a worker says when it registers is its first point', () => {
  const series = new MeasuredSeries(() => 5_000);
  const command = { workerId: 'worker', measured: { ...unknown, cpuLoadPercent: 33 } };
  series.observe([{ type: 'worker_registered', command, at: begin } as unknown as ToldEvent]);
  expect(series.of('worker', { names: cpu, points: 1 }, begin + 5 * second).cpu).toEqual([33]);
});
