// What a PC can measure of itself for its heartbeat. The latency is measured by the machine, from
// the answers to its heartbeats.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { availableParallelism, cpus, freemem, totalmem } from 'node:os';
import { join } from 'node:path';
import { wattsPerCore } from '../../protocol/device-power.ts';
import { isAndroid } from './platform.ts';
import { type BatteryReading, TermuxBattery } from './termux-battery.ts';

/** The part of the heartbeat's telemetry that is measured here, as on the wire. */
export interface DeviceTelemetry {
  /** Mean since the previous reading (at first: since creation); null before a tick has passed. */
  readonly cpu_load_percent: number | null;
  readonly cpu_load_source: 'os.cpus';
  readonly cpu_cores: number;
  readonly ram_available_mb: number;
  readonly ram_total_mb: number;
  /** Null without a battery. */
  readonly battery_level_percent: number | null;
  readonly battery_charging: boolean | null;
  /** Power of one busy core. */
  readonly power_watts: number;
  /** Where the watts come from: `declared` by the owner, or a `table` of device classes. */
  readonly energy_source: 'declared' | 'table';
}

export interface TelemetryOptions {
  /** Watts of one busy core, as declared by the owner. */
  readonly powerWatts?: number;
  readonly powerSupplyFolder?: string;
  /** By default, on a phone, what Termux tells. */
  readonly phoneBattery?: Pick<TermuxBattery, 'read'>;
}

const bytesPerMb = 1024 * 1024;
const linuxPowerSupplies = '/sys/class/power_supply';

export class TelemetryReader {
  readonly #powerWatts: number | null;
  readonly #powerSupplyFolder: string;
  /** Phones hide the folder from their programs. */
  readonly #phoneBattery: Pick<TermuxBattery, 'read'> | null;
  #before = cpuTimes();
  #lastLoad: number | null = null;

  constructor(options: TelemetryOptions = {}) {
    this.#powerWatts = options.powerWatts ?? null;
    this.#powerSupplyFolder = options.powerSupplyFolder ?? linuxPowerSupplies;
    this.#phoneBattery = options.phoneBattery ?? (isAndroid() ? new TermuxBattery() : null);
  }

  read(): DeviceTelemetry {
    const battery = this.#phoneBattery?.read() ?? readBattery(this.#powerSupplyFolder);
    return {
      cpu_load_percent: this.#readLoad(),
      cpu_load_source: 'os.cpus',
      cpu_cores: availableParallelism(),
      ram_available_mb: Math.round(availableBytes() / bytesPerMb),
      ram_total_mb: Math.round(totalmem() / bytesPerMb),
      battery_level_percent: battery?.levelPercent ?? null,
      battery_charging: battery?.isCharging ?? null,
      power_watts: this.#powerWatts ?? this.#usualWatts(battery),
      energy_source: this.#powerWatts === null ? 'table' : 'declared',
    };
  }

  #usualWatts(battery: BatteryReading | null): number {
    if (this.#phoneBattery !== null) return wattsPerCore.phone;
    return battery === null ? wattsPerCore.desktop : wattsPerCore.laptop;
  }

  #readLoad(): number | null {
    const now = cpuTimes();
    const total = now.total - this.#before.total;
    const busy = total - (now.idle - this.#before.idle);
    // Two calls within one tick of the system's clock: the last reading still holds. Phones list no cores.
    if (total <= 0) return this.#lastLoad;
    this.#before = now;
    this.#lastLoad = Math.round(Math.min(100, Math.max(0, (100 * busy) / total)) * 10) / 10;
    return this.#lastLoad;
  }
}

function cpuTimes(): { readonly total: number; readonly idle: number } {
  let total = 0;
  let idle = 0;
  for (const { times } of cpus()) {
    total += times.user + times.nice + times.sys + times.idle + times.irq;
    idle += times.idle;
  }
  return { total, idle };
}

/**
 * Linux counts the page cache as used in `freemem`; what programs can have is in `MemAvailable`.
 */
function availableBytes(): number {
  try {
    const match = /^MemAvailable:\s+(\d+) kB/m.exec(readFileSync('/proc/meminfo', 'utf8'));
    if (match?.[1] !== undefined) return Number(match[1]) * 1024;
  } catch {
    // Not Linux.
  }
  return freemem();
}

/** The first battery of the machine itself in a folder like `/sys/class/power_supply`. */
export function readBattery(folder: string): BatteryReading | null {
  try {
    for (const name of readdirSync(folder)) {
      const read = (file: string) => readFileSync(join(folder, name, file), 'utf8').trim();
      // A mouse has a battery too, of scope `Device`.
      if (read('type') !== 'Battery' || readScope(folder, name) === 'Device') continue;
      const levelPercent = Number(read('capacity'));
      const isCharging = ['Charging', 'Full', 'Not charging'].includes(read('status'));
      if (levelPercent >= 0 && levelPercent <= 100) return { levelPercent, isCharging };
    }
  } catch {
    // No such folder, or a device that vanished while it was read.
  }
  return null;
}

function readScope(folder: string, name: string): string {
  const path = join(folder, name, 'scope');
  return existsSync(path) ? readFileSync(path, 'utf8').trim() : 'System';
}
