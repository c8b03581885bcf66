// The battery of a worker, from what it said of it: level and drain in the straight lines of the lab.

import type { BatteryPlan } from '../scenario/plan.ts';
import { Steps } from './steps.ts';
import type { TracedWorker } from './trace.ts';

const hourMs = 3_600_000;

interface Level {
  readonly at: number;
  readonly percent: number;
  readonly isCharging: boolean;
}

/** Null: it said nothing of one. It takes work until it is empty: when it rested is told apart. */
export function batteryOf({ samples, attempts }: TracedWorker): BatteryPlan | null {
  const levels = samples.flatMap(
    ({ at_ms: at, battery_level_percent: percent, battery_charging: isCharging }): Level[] =>
      percent === null ? [] : [{ at, percent, isCharging: isCharging ?? false }],
  );
  const first = levels[0];
  if (first === undefined) return null;
  const busy = Steps.sumOf(
    attempts.map(({ ended_ms: to, run_ms: ms }) => ({ from: to - ms, to, height: 1 })),
  );
  const charging = levels.filter(({ isCharging }) => isCharging).length;
  const drain = drainOf(levels, busy);
  return {
    levelPercent: first.percent,
    isCharging: charging * 2 > levels.length,
    idlePercentPerHour: drain.idle,
    busyPercentPerHour: drain.busy,
    chargePercentPerHour: chargeOf(levels, busy, drain),
    restsBelowPercent: null,
  };
}

interface Drain {
  readonly idle: number;
  readonly busy: number;
}

/** Between samples on battery: loss = idle × hours + busy × hours of slots, by least squares; neither below 0. */
function drainOf(levels: readonly Level[], busy: Steps): Drain {
  let [tt, ts, ss, tl, sl] = [0, 0, 0, 0, 0];
  for (const { hours, slotHours, loss } of stretches(levels, busy, false)) {
    tt += hours * hours;
    ts += hours * slotHours;
    ss += slotHours * slotHours;
    tl += hours * loss;
    sl += slotHours * loss;
  }
  if (tt === 0) return { idle: 0, busy: 0 };
  const onlyIdle = { idle: Math.max(0, tl / tt), busy: 0 };
  const determinant = tt * ss - ts * ts;
  // It was always as busy: the two cannot be told apart.
  if (determinant < 1e-9 * tt * ss || ss === 0) return onlyIdle;
  const idle = (tl * ss - sl * ts) / determinant;
  const busyLoss = (sl * tt - tl * ts) / determinant;
  if (busyLoss < 0) return onlyIdle;
  return idle < 0 ? { idle: 0, busy: Math.max(0, sl / ss) } : { idle, busy: busyLoss };
}

/** What the charger gives, beside what is used meanwhile. */
function chargeOf(levels: readonly Level[], busy: Steps, drain: Drain): number {
  let [gain, hoursCharged] = [0, 0];
  for (const { hours, slotHours, loss } of stretches(levels, busy, true)) {
    gain += drain.idle * hours + drain.busy * slotHours - loss;
    hoursCharged += hours;
  }
  return hoursCharged === 0 ? 0 : Math.max(0, gain / hoursCharged);
}

function* stretches(levels: readonly Level[], busy: Steps, isCharging: boolean) {
  for (let i = 1; i < levels.length; i++) {
    const [before, after] = [levels[i - 1]!, levels[i]!];
    if (before.isCharging !== isCharging || after.isCharging !== isCharging) continue;
    if (after.at <= before.at) continue;
    yield {
      hours: (after.at - before.at) / hourMs,
      slotHours: busy.integral(before.at, after.at) / hourMs,
      loss: before.percent - after.percent,
    };
  }
}
