// Which heartbeats are written: of each worker the first two, then one now and then, with the mean load since the one
// before. The more workers, the rarer, so that a trace of many devices does not consist of their telemetry.

import type { MeasuredTelemetry } from '../../core/commands.ts';
import type { RecordOf } from './trace-format.ts';

const leastMs = 10_000;
/** Of all workers together; the time between two samples of one grows with their number. */
const samplesPerSecond = 20;

interface Gathered {
  readonly sampledMs: number;
  /** That was what it said when it came: its own start is much of the load then. */
  readonly isFirst: boolean;
  loads: number;
  loadSum: number;
}

export type Sample = Omit<RecordOf<'telemetry'>, 'type' | 'at_ms' | 'worker'>;

export class TelemetrySampler {
  readonly #workers = new Map<string, Gathered>();

  /** `atMs` in the time of the trace. Null: it is not time yet; the load is kept for the mean. */
  take(workerId: string, measured: MeasuredTelemetry, atMs: number): Sample | null {
    const before = this.#workers.get(workerId);
    const load = measured.cpuLoadPercent;
    if (before !== undefined && load !== null) {
      before.loads++;
      before.loadSum += load;
    }
    if (before !== undefined) {
      // A registration and a hello say the same.
      const everyMs = before.isFirst ? 1 : this.#everyMs();
      if (atMs - before.sampledMs < everyMs) return null;
    }
    this.#workers.set(workerId, {
      sampledMs: atMs,
      isFirst: before === undefined,
      loads: 0,
      loadSum: 0,
    });
    const mean = before === undefined || before.loads === 0 ? load : before.loadSum / before.loads;
    return {
      cpu_load_percent: mean === null ? null : Math.round(mean * 10) / 10,
      ram_available_mb: measured.ramAvailableMb,
      battery_level_percent: measured.batteryLevelPercent,
      battery_charging: measured.batteryCharging,
      network_latency_ms: measured.networkLatencyMs,
      network_bandwidth_mbps: measured.networkBandwidthMbps,
    };
  }

  forget(workerId: string): void {
    this.#workers.delete(workerId);
  }

  #everyMs(): number {
    return Math.max(leastMs, (this.#workers.size / samplesPerSecond) * 1000);
  }
}
