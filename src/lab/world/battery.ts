// The battery of a device: it loses more the more slots are busy, and tells when it falls below a level.

import type { Clock } from '../../simulator/clock.ts';
import type { BatteryPlan } from '../scenario/plan.ts';

const hourMs = 3_600_000;

export class Battery {
  readonly #clock: Clock;
  readonly #plan: BatteryPlan;
  readonly #onLevel: () => void;
  #level: number;
  #knownAt: number;
  #busy = 0;
  #cancel: (() => void) | null = null;

  /** `onLevel` is called when it has reached the level at which the device rests, or is empty. */
  constructor(clock: Clock, plan: BatteryPlan, onLevel: () => void) {
    this.#clock = clock;
    this.#plan = plan;
    this.#onLevel = onLevel;
    this.#level = plan.levelPercent;
    this.#knownAt = clock.now;
    this.#watch();
  }

  get levelPercent(): number {
    const hours = (this.#clock.now - this.#knownAt) / hourMs;
    return Math.min(100, Math.max(0, this.#level - this.#lossPerHour() * hours));
  }

  get isCharging(): boolean {
    return this.#plan.isCharging;
  }

  /** On its charger it is not: the mains carry the device. */
  get isEmpty(): boolean {
    return !this.isCharging && this.levelPercent <= almostNothing;
  }

  /** On its charger it is not, as in life (`worker/browser/owner-rules.ts`). */
  get isLow(): boolean {
    const { restsBelowPercent } = this.#plan;
    if (this.isCharging) return false;
    return restsBelowPercent !== null && this.levelPercent <= restsBelowPercent + almostNothing;
  }

  setBusy(slots: number): void {
    this.#level = this.levelPercent;
    this.#knownAt = this.#clock.now;
    this.#busy = slots;
    this.#watch();
  }

  #lossPerHour(): number {
    const { isCharging, idlePercentPerHour, busyPercentPerHour, chargePercentPerHour } = this.#plan;
    const loss = idlePercentPerHour + busyPercentPerHour * this.#busy;
    return isCharging ? loss - chargePercentPerHour : loss;
  }

  /** Looks for the moment of the next level that matters. */
  #watch(): void {
    this.#cancel?.();
    this.#cancel = null;
    const loss = this.#lossPerHour();
    if (loss <= 0) return;
    const { restsBelowPercent } = this.#plan;
    const next = [restsBelowPercent ?? 0, 0].find((level) => level < this.#level - almostNothing);
    if (next === undefined) return;
    const afterMs = ((this.#level - next) / loss) * hourMs;
    this.#cancel = this.#clock.after(afterMs, () => {
      this.setBusy(this.#busy);
      this.#onLevel();
    });
  }
}

/** In percent: what rounding leaves. */
const almostNothing = 1e-6;
