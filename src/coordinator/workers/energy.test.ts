import { expect, test } from 'vitest';
import type { WorkerDescription } from '../../core/commands.ts';
import { ScriptedCore } from '../../core/testing/scripted-core.ts';
import { wattsOf } from './energy.ts';

/** Of a device that tells its battery and its power, if it has them. */
function watts(
  device: Partial<WorkerDescription>,
  { battery = null as number | null, power = null as number | null } = {},
): number | null {
  const core = new ScriptedCore();
  core.join('w', device);
  const measured = { ...core.worker('w').observed, batteryLevelPercent: battery };
  const telemetryJson = power === null ? '{}' : JSON.stringify({ power_watts: power });
  core.heartbeat('w', { measured, telemetryJson });
  return wattsOf(core.worker('w'));
}

test('watts are those that the device tells, else those of its class, else unknown', () => {
  expect(watts({ type: 'pc' })).toBe(10);
  expect(watts({ type: 'pc' }, { battery: 80 })).toBe(5);
  expect(watts({ type: 'pc' }, { power: 3.5 })).toBe(3.5);
  expect(watts({ type: 'android_kotlin', platform: 'android' })).toBe(2);
  expect(watts({ type: 'browser', platform: 'android' })).toBe(2);
  expect(watts({ type: 'browser', platform: 'linux' })).toBeNull();
  expect(watts({ type: 'browser', platform: 'linux' }, { power: 4 })).toBe(4);
});
