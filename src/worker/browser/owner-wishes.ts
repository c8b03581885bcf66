// What the owner of the device wishes, and what its page sees: by both it works, or rests.

import { hoursBeginAtMs, type OwnRest, restOf } from './owner-rules.ts';
import type { DeviceState, OwnerRules, PageSigns, Withheld } from './page-messages.ts';
import type { TaskViews } from './task-views.ts';

const longestIgnoreMs = 24 * 3_600_000;

const unknownSigns: PageSigns = {
  isVisible: true,
  isOnline: true,
  batteryPercent: null,
  isCharging: null,
  isMetered: null,
  networkType: null,
  pressure: null,
  isKeptAwake: false,
};

export class OwnerWishes {
  /** Null before anybody has said. */
  rules: OwnerRules | null = null;
  signs = unknownSigns;
  isPaused = false;
  rest: OwnRest | null = null;
  #ignoresBatteryUntilMs: number | null = null;

  ignoreBattery(forMs: number, epochMs: number): void {
    this.#ignoresBatteryUntilMs = epochMs + Math.min(longestIgnoreMs, Math.max(0, forMs));
  }

  /** Null: not by now. */
  ignoresBatteryUntil(epochMs: number): number | null {
    const untilMs = this.#ignoresBatteryUntilMs;
    return (untilMs ?? 0) > epochMs ? untilMs : null;
  }

  look(epochMs: number): void {
    // The clock on the wall was put back: nobody has meant it for so long.
    if ((this.#ignoresBatteryUntilMs ?? 0) - epochMs > longestIgnoreMs) {
      this.#ignoresBatteryUntilMs = null;
    }
  }

  /** True: it rests for another reason than before, begins or ends to. */
  judge(rules: OwnerRules, isHandheld: boolean, epochMs: number): boolean {
    const { signs, isPaused } = this;
    const ignoresBatteryUntilMs = this.#ignoresBatteryUntilMs;
    const rest = restOf({ rules, signs, isHandheld, isPaused, ignoresBatteryUntilMs }, epochMs);
    if (JSON.stringify(rest) === JSON.stringify(this.rest)) return false;
    this.rest = rest;
    return true;
  }

  shown(views: TaskViews | undefined, epochMs: number): DeviceState['rest'] {
    if (this.rest === null) return null;
    const { because } = this.rest;
    const { hours } = this.rules!;
    return {
      because,
      isSettling: (views?.size ?? 0) > 0,
      saved: views?.saved() ?? [],
      untilMs: because === 'hours' && hours !== null ? hoursBeginAtMs(hours, epochMs) : null,
    };
  }

  /** What this browser does not tell of itself. */
  withheld(isStorageWithheld: boolean, isSecure: boolean): readonly Withheld[] {
    const { batteryPercent, isCharging, isMetered, pressure } = this.signs;
    const missing: Readonly<Record<string, boolean>> = {
      battery: batteryPercent === null && isCharging === null,
      pressure: pressure === null,
      metered: isMetered === null,
      storage: isStorageWithheld,
      secure_context: !isSecure,
    };
    return Object.keys(missing).filter((name) => missing[name]) as Withheld[];
  }
}
