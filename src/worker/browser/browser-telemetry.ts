// What a browser can tell of its device for a heartbeat. What it does not tell is null; nothing is made up.

import { wattsPerCore } from '../../protocol/device-power.ts';
import type { Telemetry } from '../../protocol/messages.ts';
import type { BeginOptions, PageSigns } from './page-messages.ts';

export interface TelemetrySources {
  readonly about: Pick<BeginOptions, 'isHandheld' | 'cores' | 'deviceMemoryGb'>;
  readonly signs: () => PageSigns;
  readonly bandwidthMbps: () => number | null;
  /** Slots that run something, and slots in use. */
  readonly busy: () => { readonly running: number; readonly slots: number };
  /** Runs the same short computation each time and says how long it took. */
  readonly probeMs: () => number;
}

export interface CpuLoad {
  readonly percent: number | null;
  readonly source: 'pressure' | 'probe' | 'slots' | null;
}

/** The middle of what a browser means by the word: nominal is up to 60 %, fair to 75, serious to 90. */
const percentOfPressure: ReadonlyMap<string | null, number> = new Map([
  ['nominal', 30],
  ['fair', 67.5],
  ['serious', 82.5],
  ['critical', 95],
]);
/** Clocks of browsers may be as coarse as a millisecond or more: what takes less says nothing. */
const leastProbeMs = 1;
/** Weight of the newest probe. */
const smoothing = 0.3;

export class BrowserTelemetry {
  load: CpuLoad = { percent: null, source: null };
  readonly #sources: TelemetrySources;
  /** Of an idle core, as far as was seen. */
  #fastestMs = Infinity;
  #probedPercent: number | null = null;

  constructor(sources: TelemetrySources) {
    this.#sources = sources;
  }

  /** Watts of a busy core, where the class of the device is known. */
  get watts(): number | null {
    if (this.#sources.about.isHandheld) return wattsPerCore.phone;
    const { batteryPercent, isCharging } = this.#sources.signs();
    // A browser without a battery says that it is full and charging.
    const hasBattery = isCharging === false || (batteryPercent ?? 100) < 100;
    return hasBattery ? wattsPerCore.laptop : null;
  }

  read(): Telemetry {
    const { about, signs, bandwidthMbps } = this.#sources;
    const seen = signs();
    this.load = this.#readLoad(seen.pressure);
    const { watts } = this;
    return {
      cpu_load_percent: this.load.percent,
      cpu_load_source: this.load.source,
      cpu_cores: about.cores,
      ram_total_mb: about.deviceMemoryGb === null ? null : about.deviceMemoryGb * 1024,
      battery_level_percent: seen.batteryPercent,
      battery_charging: seen.isCharging,
      network_bandwidth_mbps: bandwidthMbps(),
      network_type: seen.networkType,
      metered: seen.isMetered,
      power_watts: watts,
      energy_source: watts === null ? null : 'table',
      visibility: seen.isVisible ? 'visible' : 'hidden',
    };
  }

  #readLoad(pressure: string | null): CpuLoad {
    const told = percentOfPressure.get(pressure);
    if (told !== undefined) return { percent: told, source: 'pressure' };
    const probed = this.#probe();
    if (probed !== null) return { percent: rounded(probed), source: 'probe' };
    const { running, slots } = this.#sources.busy();
    if (slots === 0) return { percent: null, source: null };
    return { percent: rounded(Math.min(100, (100 * running) / slots)), source: 'slots' };
  }

  /** The longer it takes beyond its fastest, the less of a core was free for it. */
  #probe(): number | null {
    const tookMs = this.#sources.probeMs();
    if (!(tookMs >= leastProbeMs)) return null;
    this.#fastestMs = Math.min(this.#fastestMs, tookMs);
    const percent = 100 * (1 - this.#fastestMs / tookMs);
    const before = this.#probedPercent ?? percent;
    this.#probedPercent = before + smoothing * (percent - before);
    return this.#probedPercent;
  }
}

/** Some milliseconds of a core, on any device of the last years. */
export function probe(): number {
  const from = performance.now();
  let x = 1;
  for (let i = 0; i < 2_000_000; i++) x = (Math.imul(x, 1_664_525) + 1_013_904_223) | 0;
  const tookMs = performance.now() - from;
  // The loop must have a result, or it would not be run.
  return x === 0 ? 0 : tookMs;
}

function rounded(percent: number): number {
  return Math.round(percent * 10) / 10;
}
