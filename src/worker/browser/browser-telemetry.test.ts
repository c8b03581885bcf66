import { describe, expect, test } from 'vitest';
import { BrowserTelemetry, type TelemetrySources } from './browser-telemetry.ts';
import type { PageSigns } from './page-messages.ts';

const silent: PageSigns = {
  isVisible: true,
  isOnline: true,
  batteryPercent: null,
  isCharging: null,
  isMetered: null,
  networkType: null,
  pressure: null,
  isKeptAwake: false,
};

function telemetry(signs: Partial<PageSigns> = {}, more: Partial<TelemetrySources> = {}) {
  return new BrowserTelemetry({
    about: { isHandheld: false, cores: 8, deviceMemoryGb: 4 },
    signs: () => ({ ...silent, ...signs }),
    bandwidthMbps: () => null,
    busy: () => ({ running: 0, slots: 2 }),
    probeMs: () => 0,
    ...more,
  });
}

describe('a heartbeat', () => {
  test('has null for all that the browser does not tell', () => {
    const about = { isHandheld: false, cores: null, deviceMemoryGb: null };
    const busy = () => ({ running: 0, slots: 0 });
    expect(telemetry({}, { about, busy }).read()).toEqual({
      cpu_load_percent: null,
      cpu_load_source: null,
      cpu_cores: null,
      ram_total_mb: null,
      battery_level_percent: null,
      battery_charging: null,
      network_bandwidth_mbps: null,
      network_type: null,
      metered: null,
      power_watts: null,
      energy_source: null,
      visibility: 'visible',
    });
  });

  test('has what the page has seen, and what was measured of transfers', () => {
    const signs = {
      isVisible: false,
      batteryPercent: 74,
      isCharging: false,
      isMetered: true,
      networkType: 'cellular',
    };
    expect(telemetry(signs, { bandwidthMbps: () => 12.5 }).read()).toMatchObject({
      battery_level_percent: 74,
      battery_charging: false,
      metered: true,
      network_type: 'cellular',
      network_bandwidth_mbps: 12.5,
      ram_total_mb: 4096,
      visibility: 'hidden',
    });
  });
});

describe('the load of the CPU', () => {
  test.each([
    ['nominal', 30],
    ['fair', 67.5],
    ['serious', 82.5],
    ['critical', 95],
  ])('is what the browser says first of all: %s', (pressure, percent) => {
    expect(telemetry({ pressure }, { probeMs: () => 5 }).read()).toMatchObject({
      cpu_load_percent: percent,
      cpu_load_source: 'pressure',
    });
  });

  test('is probed where the browser says nothing, against the fastest that was seen', () => {
    const times = [4, 4, 8, 3];
    const reader = telemetry({}, { probeMs: () => times.shift()! });
    const loads = [1, 2, 3, 4].map(() => reader.read().cpu_load_percent);
    // 0, 0, then 0.3 · 50 %, then 0.7 · 15 %
    expect(loads).toEqual([0, 0, 15, 10.5]);
    expect(reader.load.source).toBe('probe');
  });

  test('is the share of busy slots where the clock is too coarse for a probe', () => {
    const reader = telemetry({}, { busy: () => ({ running: 1, slots: 2 }) });
    expect(reader.read()).toMatchObject({ cpu_load_percent: 50, cpu_load_source: 'slots' });
  });
});

test('the watts of a core are known of handhelds and of what has a battery', () => {
  const phone = { about: { isHandheld: true, cores: 8, deviceMemoryGb: null } };
  expect(telemetry({}, phone).watts).toBe(2);
  expect(telemetry({ isCharging: false }).watts).toBe(5);
  expect(telemetry({ batteryPercent: 80, isCharging: true }).watts).toBe(5);
  expect(telemetry({ batteryPercent: 100, isCharging: true }).watts).toBeNull();
  expect(telemetry().watts).toBeNull();
});
