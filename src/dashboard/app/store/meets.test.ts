import { expect, test } from 'vitest';
import type { JobRequirements } from '../../../protocol/job-options.ts';
import type { Worker } from './cluster.ts';
import { meets } from './meets.ts';

const pc = {
  type: 'pc',
  platform: 'linux',
  isolation: 'ses+bubblewrap',
  labels: { gpu: 'yes' },
  telemetry: { ram_available_mb: 4000 },
} as unknown as Worker;

test.each<[JobRequirements, boolean]>([
  [{}, true],
  [{ type: ['browser', 'pc'], platform: ['linux'], isolation: 'bubblewrap' }, true],
  [{ type: ['browser'] }, false],
  [{ platform: ['win32'] }, false],
  [{ labels: { gpu: 'yes' } }, true],
  [{ labels: { gpu: '' } }, false],
  [{ labels: { constructor: 'x' } }, false],
  [{ min_ram_mb: 4000 }, true],
  [{ min_ram_mb: 4001 }, false],
  // A PC without a battery is on mains.
  [{ min_battery_percent: 90 }, true],
])('%j is met: %s', (asked, isMet) => {
  expect(meets(pc, asked)).toBe(isMet);
});

test('a phone has so much of its battery, or is charged', () => {
  const phone = (more: object) =>
    ({ ...pc, type: 'android_node', telemetry: { battery_level_percent: 40, ...more } }) as Worker;
  expect(meets(phone({}), { min_battery_percent: 50 })).toBe(false);
  expect(meets(phone({ battery_charging: true }), { min_battery_percent: 50 })).toBe(true);
});

test('what is not told decides nothing, and who asks for nothing takes any', () => {
  expect(meets({ ...pc, telemetry: {} }, { min_ram_mb: 9000 })).toBe(true);
  expect(meets(pc, undefined)).toBe(true);
});
