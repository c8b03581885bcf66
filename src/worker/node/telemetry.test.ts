import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { energyJoules } from '../../protocol/device-power.ts';
import { readBattery, TelemetryReader } from './telemetry.ts';

function powerSupplies(
  devices: Readonly<Record<string, Readonly<Record<string, string>>>>,
): string {
  const folder = mkdtempSync(join(tmpdir(), 'muster-power-'));
  onTestFinished(() => {
    rmSync(folder, { recursive: true });
  });
  for (const [name, files] of Object.entries(devices)) {
    mkdirSync(join(folder, name));
    for (const [file, text] of Object.entries(files)) {
      writeFileSync(join(folder, name, file), `${text}\n`);
    }
  }
  return folder;
}

test('reads the battery of the machine, not the one of its mouse', () => {
  const folder = powerSupplies({
    AC: { type: 'Mains', online: '0' },
    A_mouse: { type: 'Battery', scope: 'Device', capacity: '12', status: 'Discharging' },
    BAT0: { type: 'Battery', capacity: '81', status: 'Discharging' },
  });
  expect(readBattery(folder)).toEqual({ levelPercent: 81, isCharging: false });
});

test('counts a full battery on mains as charging', () => {
  const folder = powerSupplies({ BAT0: { type: 'Battery', capacity: '100', status: 'Full' } });
  expect(readBattery(folder)).toEqual({ levelPercent: 100, isCharging: true });
});

test('has no battery where the system lists none', () => {
  expect(readBattery(powerSupplies({}))).toBeNull();
  expect(readBattery('/nowhere')).toBeNull();
});

test('measures real values within their ranges', () => {
  const reader = new TelemetryReader({ powerSupplyFolder: '/nowhere' });
  const telemetry = reader.read();
  expect(telemetry.ram_total_mb).toBeGreaterThan(0);
  expect(telemetry.ram_available_mb).toBeGreaterThan(0);
  expect(telemetry.ram_available_mb).toBeLessThanOrEqual(telemetry.ram_total_mb);
  expect(telemetry.cpu_cores).toBeGreaterThanOrEqual(1);
  expect(telemetry.cpu_load_percent ?? 0).toBeGreaterThanOrEqual(0);
  expect(telemetry.cpu_load_percent ?? 0).toBeLessThanOrEqual(100);
  expect(telemetry).toMatchObject({ battery_level_percent: null, battery_charging: null });
});

test('says where its watts come from', () => {
  expect(new TelemetryReader({ powerSupplyFolder: '/nowhere' }).read()).toMatchObject({
    power_watts: 10,
    energy_source: 'table',
  });
  expect(new TelemetryReader({ powerWatts: 3.5 }).read()).toMatchObject({
    power_watts: 3.5,
    energy_source: 'declared',
  });
  expect(energyJoules(12, 3.5)).toBe(42);
});

test('on a phone the battery is what its system tells, and a core needs less', () => {
  const phoneBattery = { read: () => ({ levelPercent: 64, isCharging: true }) };
  const reader = new TelemetryReader({ powerSupplyFolder: '/nowhere', phoneBattery });
  expect(reader.read()).toMatchObject({
    battery_level_percent: 64,
    battery_charging: true,
    power_watts: 2,
  });
});
