import { describe, expect, test } from 'vitest';
import { Clock } from '../../simulator/clock.ts';
import { Battery } from './battery.ts';

const hourMs = 3_600_000;
const plan = {
  levelPercent: 50,
  isCharging: false,
  idlePercentPerHour: 2,
  busyPercentPerHour: 8,
  chargePercentPerHour: 30,
  restsBelowPercent: 20,
};

describe('Battery', () => {
  test('loses more the more slots are busy', () => {
    const clock = new Clock(0);
    const battery = new Battery(clock, plan, () => {});
    clock.after(hourMs, () => battery.setBusy(2));
    clock.after(2 * hourMs, () => {});
    while (clock.step(2 * hourMs));
    expect(battery.levelPercent).toBeCloseTo(50 - 2 - 18);
  });

  test('tells when it is low, and when it is empty', () => {
    const clock = new Clock(0);
    const told: [number, boolean, boolean][] = [];
    const battery: Battery = new Battery(clock, plan, () =>
      told.push([clock.now / hourMs, battery.isLow, battery.isEmpty]),
    );
    battery.setBusy(1);
    while (clock.step(Infinity));
    expect(told).toEqual([
      [3, true, false],
      [5, true, true],
    ]);
  });

  test('on its charger it fills up to 100 %', () => {
    const clock = new Clock(0);
    const battery = new Battery(clock, { ...plan, isCharging: true }, () => {});
    clock.after(10 * hourMs, () => {});
    while (clock.step(Infinity));
    expect(battery.levelPercent).toBe(100);
  });

  test('on its charger it is neither low nor empty, whatever it holds', () => {
    const charged = { ...plan, isCharging: true, busyPercentPerHour: 40 };
    const empty = new Battery(new Clock(0), { ...charged, levelPercent: 0 }, () => {});
    expect([empty.isLow, empty.isEmpty]).toEqual([false, false]);
    const clock = new Clock(0);
    const drained = new Battery(clock, charged, () => {});
    drained.setBusy(1);
    while (clock.step(Infinity));
    expect([drained.levelPercent, drained.isLow, drained.isEmpty]).toEqual([0, false, false]);
  });
});
