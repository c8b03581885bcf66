// Measured values at the edge: one that is out of range or not a number counts as missing and is
// named in the warnings. A faulty sensor must not cost a worker.

import type { MeasuredTelemetry } from '../../core/commands.ts';

export interface SaneTelemetry {
  readonly measured: MeasuredTelemetry;
  /** The sane part, as JSON text, for display. */
  readonly json: string;
  readonly warnings: readonly string[];
}

type Bounds = readonly [least: number, most: number];

const numbers: Readonly<Record<string, Bounds>> = {
  cpu_load_percent: [0, 100],
  cpu_cores: [1, 65_536],
  ram_available_mb: [0, 1e9],
  ram_total_mb: [0, 1e9],
  battery_level_percent: [0, 100],
  network_latency_ms: [0, 600_000],
  network_bandwidth_mbps: [0, 1e7],
  power_watts: [0, 1e6],
};
const flags = new Set(['battery_charging', 'metered']);
const texts = new Set(['cpu_load_source', 'network_type', 'energy_source', 'visibility']);

export function readTelemetry(telemetry: unknown): SaneTelemetry {
  const sane: Record<string, number | string | boolean> = {};
  const isObject = typeof telemetry === 'object' && telemetry !== null && !Array.isArray(telemetry);
  const isSane = isObject || telemetry === undefined;
  const warnings = isSane ? [] : ['telemetry must be an object; ignored.'];
  for (const [field, value] of Object.entries(isObject ? telemetry : {}) as [string, unknown][]) {
    if (value === null || value === undefined) continue;
    const problem = problemOf(field, value);
    if (problem === undefined) sane[field] = value as number | string | boolean;
    else if (warnings.length < 20) warnings.push(problem);
  }
  const number = (field: string) => (sane[field] as number | undefined) ?? null;
  return {
    measured: {
      cpuLoadPercent: number('cpu_load_percent'),
      ramAvailableMb: number('ram_available_mb'),
      batteryLevelPercent: number('battery_level_percent'),
      batteryCharging: (sane['battery_charging'] as boolean | undefined) ?? null,
      networkLatencyMs: number('network_latency_ms'),
      networkBandwidthMbps: number('network_bandwidth_mbps'),
    },
    json: JSON.stringify(sane),
    warnings,
  };
}

function problemOf(field: string, value: unknown): string | undefined {
  const name = field.slice(0, 60);
  if (Object.hasOwn(numbers, field)) {
    const [least, most] = numbers[field]!;
    const isFine =
      typeof value === 'number' && Number.isFinite(value) && value >= least && value <= most;
    return isFine ? undefined : `${name} must be a number from ${least} to ${most}; ignored.`;
  }
  if (flags.has(field)) {
    return typeof value === 'boolean' ? undefined : `${name} must be true or false; ignored.`;
  }
  if (texts.has(field)) {
    const isFine = typeof value === 'string' && value.length <= 200;
    return isFine ? undefined : `${name} must be a text of at most 200 characters; ignored.`;
  }
  return `${name} is not a known measurement; ignored.`;
}
