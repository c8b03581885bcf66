// The workers of a trace as devices of the lab.

import type { RecordedDevice } from './recorded-plan.ts';
import { batteryOf } from './battery-of.ts';
import { median } from './speeds.ts';
import { staysOf } from './stays.ts';
import type { RecordOf } from './trace-format.ts';
import type { TracedJob, TracedWorker } from './trace.ts';
import type { WorkerLoad } from './worker-load.ts';

export interface DeviceSources {
  readonly load: WorkerLoad;
  readonly speed: number;
  /** By worker, see `failuresOf`. */
  readonly failures: ReadonlyMap<number, number>;
  readonly leaseMs: number;
}

/** Of those that do not say. */
const usualRamMb = 8192;
const usualRoundTripMs = 1;

/** Null: it never was there for work. */
export function deviceOf(
  worker: TracedWorker,
  { load, speed, failures, leaseMs }: DeviceSources,
): RecordedDevice | null {
  const { described, moves, samples } = worker;
  const stays = staysOf(moves, leaseMs);
  if (described === null || stays === null) return null;
  const { device, platform, slots, labels, isolation } = described;
  const battery = batteryOf(worker);
  const ramMb = medianOf(samples, ({ ram_available_mb: mb }) => mb);
  const bandwidthMbps = medianOf(samples, ({ network_bandwidth_mbps: mbps }) => mbps);
  return {
    name: `worker-${worker.worker}`,
    class: device,
    type: device,
    platform,
    slots,
    cores: load.cores,
    speed,
    ramMb: ramMb ?? usualRamMb,
    roundTripMs: roundTripOf(worker),
    bandwidthMbps: bandwidthMbps === null || bandwidthMbps <= 0 ? null : bandwidthMbps,
    labels: { ...labels, ...isolationLabels(isolation) },
    says: {
      cpu: samples.some(({ cpu_load_percent: percent }) => percent !== null),
      memory: ramMb !== null,
      battery: battery !== null,
      bandwidth: bandwidthMbps !== null,
    },
    battery,
    power: { idleWatts: 0, busyWatts: 0 },
    // Run times in a trace tell how long tasks are, with whatever it takes to begin them.
    startMs: 0,
    fails: failsOf(worker, failures),
    joinsAtMs: stays.joinsAtMs,
    load: load.others,
    presence: stays.spans,
  };
}

/** In milliseconds. */
export function roundTripOf({ samples }: Pick<TracedWorker, 'samples'>): number {
  return medianOf(samples, ({ network_latency_ms: ms }) => ms) ?? usualRoundTripMs;
}

/** Devices of the lab isolate in no way: what a job asks for is compared by labels that nobody else has. */
export function isolationLabels(isolation: string): Record<string, string> {
  return Object.fromEntries(isolation.split('+').map((part) => [`isolation ${part}`, 'yes']));
}

/** Share of the attempts that failed here, of tasks that completed in the end: what always fails is no fault of it. */
function failsOf({ worker, attempts }: TracedWorker, failures: DeviceSources['failures']): number {
  const failed = failures.get(worker) ?? 0;
  const completed = attempts.filter(({ outcome }) => outcome === 'completed').length;
  return failed === 0 ? 0 : failed / (failed + completed);
}

/** By worker: attempts that failed there, of tasks that completed. */
export function failuresOf(jobs: readonly TracedJob[]): ReadonlyMap<number, number> {
  const failures = new Map<number, number>();
  for (const { attempts } of jobs) {
    const done = new Set(
      attempts.filter(({ outcome }) => outcome === 'completed').map(({ index }) => index),
    );
    for (const { index, outcome, worker } of attempts) {
      if (outcome !== 'failed' && outcome !== 'timed_out') continue;
      if (done.has(index)) failures.set(worker, (failures.get(worker) ?? 0) + 1);
    }
  }
  return failures;
}

function medianOf(
  samples: TracedWorker['samples'],
  value: (sample: RecordOf<'telemetry'>) => number | null,
): number | null {
  const values = samples.flatMap((sample) => value(sample) ?? []);
  return values.length === 0 ? null : median(values);
}
