// What the owner of a device allows: the rules with what is known of the device and the time say whether it rests,
// why, and until when. What a browser does not tell cannot be kept as a rule: it does not rest for that for ever,
// and the page says so.

import type { BeginOptions, OwnerRules, PageSigns, RestReason } from './page-messages.ts';

export interface RestSituation {
  readonly rules: OwnerRules;
  readonly signs: PageSigns;
  readonly isHandheld: boolean;
  /** By hand. */
  readonly isPaused: boolean;
  /** Until then the rules about charging and battery do not count; null: they do. */
  readonly ignoresBatteryUntilMs: number | null;
}

export interface OwnRest {
  readonly because: RestReason;
  /** What runs goes on; otherwise it is handed over. */
  readonly keeps: boolean;
  /** The system may stop a handheld whose page is hidden: it comes back with what it has. */
  readonly leaseSeconds?: number;
}

/** The longest that a coordinator gives. */
export const hiddenLeaseSeconds = 600;
const minutesPerDay = 24 * 60;
const minuteMs = 60_000;

/** `nowMs`: since the epoch. Null: it may work. */
export function restOf(situation: RestSituation, nowMs: number): OwnRest | null {
  const { isHandheld, signs } = situation;
  const isHidden = isHandheld && !signs.isVisible;
  const lease = isHidden ? { leaseSeconds: hiddenLeaseSeconds } : {};
  const because = ruleAgainst(situation, nowMs);
  if (because !== null) return { because, keeps: false, ...lease };
  return isHidden ? { because: 'hidden', keeps: true, ...lease } : null;
}

function ruleAgainst(situation: RestSituation, nowMs: number): RestReason | null {
  const { rules, signs, isPaused, ignoresBatteryUntilMs } = situation;
  const { isCharging, batteryPercent, isMetered } = signs;
  const isOnBattery = isCharging === false && nowMs >= (ignoresBatteryUntilMs ?? -Infinity);
  if (isPaused) return 'paused';
  if (isOnBattery && rules.onlyCharging) return 'charging';
  const isLow = batteryPercent !== null && batteryPercent < (rules.minBatteryPercent ?? 0);
  if (isOnBattery && isLow) return 'battery';
  if (isMetered === true && rules.onlyUnmetered) return 'metered';
  return isWithin(rules.hours, nowMs) ? null : 'hours';
}

type Hours = OwnerRules['hours'];

function isWithin(hours: Hours, atMs: number): boolean {
  if (hours === null) return true;
  const { fromMinute: from, toMinute: to } = hours;
  const minute = minuteOfDay(atMs);
  if (from === to) return true;
  return from < to ? minute >= from && minute < to : minute >= from || minute < to;
}

function minuteOfDay(atMs: number): number {
  const at = new Date(atMs);
  return at.getHours() * 60 + at.getMinutes();
}

/** When the hours begin again, of a device that rests for them. */
export function hoursBeginAtMs(hours: NonNullable<Hours>, nowMs: number): number {
  const thisMinuteMs = Math.floor(nowMs / minuteMs) * minuteMs;
  const wait = (hours.fromMinute - minuteOfDay(nowMs) + minutesPerDay) % minutesPerDay;
  const atMs = thisMinuteMs + wait * minuteMs;
  if (offsetOf(atMs) === offsetOf(nowMs)) return atMs;
  // The clock is changed on the way: an hour that comes twice or not at all.
  let nextMs = thisMinuteMs + minuteMs;
  while (!isWithin(hours, nextMs)) nextMs += minuteMs;
  return nextMs;
}

function offsetOf(atMs: number): number {
  return new Date(atMs).getTimezoneOffset();
}

// ---- which rules there are

export type About = Pick<BeginOptions, 'isHandheld' | 'cores'>;

/** Handhelds get warm and slow with more. */
const handheldSlots = 2;
const slotsOfUnknown = 2;
const mostSlots = 64;

export function slotsMaxOf({ isHandheld, cores }: About): number {
  const most = isHandheld ? handheldSlots : mostSlots;
  return Math.max(1, Math.min(most, Math.floor(cores ?? slotsOfUnknown)));
}

export function rulesToBeginWith(about: About): OwnerRules {
  const { isHandheld } = about;
  const most = slotsMaxOf(about);
  return {
    onlyCharging: isHandheld,
    minBatteryPercent: null,
    onlyUnmetered: isHandheld,
    hours: null,
    slots: isHandheld ? most : Math.max(1, most - 1),
    name: '',
  };
}

const nameCharacters = 200;

/** Rules from a page or from what is kept here, with what cannot be right as it is to begin with. */
export function readRules(value: unknown, about: About): OwnerRules {
  const first = rulesToBeginWith(about);
  if (typeof value !== 'object' || value === null) return first;
  const { onlyCharging, minBatteryPercent, onlyUnmetered, hours, slots, name } = value as {
    readonly [K in keyof OwnerRules]?: unknown;
  };
  const isYesOrNo = (given: unknown) => typeof given === 'boolean';
  return {
    onlyCharging: isYesOrNo(onlyCharging) ? onlyCharging : first.onlyCharging,
    minBatteryPercent: isBetween(minBatteryPercent, 0, 100) ? minBatteryPercent : null,
    onlyUnmetered: isYesOrNo(onlyUnmetered) ? onlyUnmetered : first.onlyUnmetered,
    hours: readHours(hours),
    slots: isBetween(slots, 1, Infinity)
      ? Math.floor(Math.min(slots, slotsMaxOf(about)))
      : first.slots,
    name: typeof name === 'string' ? name.trim().slice(0, nameCharacters) : '',
  };
}

function readHours(value: unknown): Hours {
  if (typeof value !== 'object' || value === null) return null;
  const { fromMinute, toMinute } = value as Readonly<Record<string, unknown>>;
  const most = minutesPerDay - 1;
  if (!isBetween(fromMinute, 0, most) || !isBetween(toMinute, 0, most)) return null;
  return { fromMinute: Math.floor(fromMinute), toMinute: Math.floor(toMinute) };
}

function isBetween(value: unknown, least: number, most: number): value is number {
  return typeof value === 'number' && value >= least && value <= most;
}
