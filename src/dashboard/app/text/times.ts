// Times as people read them: lengths in two parts at most, moments in their own zone, and how long ago.

import { measured, unknown, withUnit } from './numbers.ts';

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

/** `840 ms`, `11.2 s`, `4 min 12 s`, `2 h 10 min`, `12 d 4 h`. */
export function duration(seconds: number | null | undefined): string {
  if (seconds === null || seconds === undefined) return unknown;
  if (seconds < 0.9995) return withUnit(measured(Math.round(seconds * 1000)), 'ms');
  if (seconds < 59.95) return withUnit(measured(seconds), 's');
  return wholeDuration(seconds);
}

/** Whole seconds at least: for what is counted, and for what ticks. */
export function wholeDuration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < minute) return withUnit(String(whole), 's');
  if (whole < hour) return twoParts(whole, minute, 'min', 1, 's');
  if (whole < day) return twoParts(Math.round(whole / minute) * minute, hour, 'h', minute, 'min');
  return twoParts(Math.round(whole / hour) * hour, day, 'd', hour, 'h');
}

function twoParts(
  seconds: number,
  large: number,
  largeUnit: string,
  small: number,
  smallUnit: string,
): string {
  const rest = Math.floor((seconds % large) / small);
  const first = withUnit(String(Math.floor(seconds / large)), largeUnit);
  return rest === 0 ? first : `${first} ${withUnit(String(rest), smallUnit)}`;
}

/** In a sentence: `about 10 min`. */
export function aboutDuration(seconds: number): string {
  const text = roughDuration(seconds);
  return text === fewSeconds ? text : `about ${text}`;
}

const fewSeconds = 'a few seconds';

/** One part, for what is only known about: `10 min`. */
export function roughDuration(seconds: number): string {
  if (seconds < 10) return fewSeconds;
  if (seconds < 55) return withUnit(String(Math.round(seconds / 5) * 5), 's');
  if (seconds < 57.5 * minute)
    return withUnit(String(Math.max(1, Math.round(seconds / minute))), 'min');
  if (seconds < 10 * hour) {
    return twoParts(Math.round(seconds / (5 * minute)) * 5 * minute, hour, 'h', minute, 'min');
  }
  if (seconds < 2 * day) return withUnit(String(Math.round(seconds / hour)), 'h');
  return withUnit(String(Math.round(seconds / day)), 'd');
}

/** `8–13 min`, `50 s to 2 min`; null where both would read the same, or one is not known. */
export function durationRange(low: number | null, high: number | null): string | null {
  if (low === null || high === null) return null;
  const [from, to] = [roughDuration(low), roughDuration(high)];
  if (from === to) return null;
  const [first, second] = [from.split('\u202f'), to.split('\u202f')];
  const isSameUnit = first.length === 2 && second.length === 2 && first[1] === second[1];
  return isSameUnit ? `${first[0]}\u2013${to}` : `${from} to ${to}`;
}

/** One clock for what was a moment ago, words for what was before. `nowMs`: of the same clock as the moment. */
export function ago(at: string, nowMs: number): string {
  const seconds = Math.max(0, (nowMs - Date.parse(at)) / 1000);
  if (seconds < minute) return `${withUnit(String(Math.floor(seconds)), 's')} ago`;
  if (seconds < hour) return `${withUnit(String(Math.floor(seconds / minute)), 'min')} ago`;
  return moment(at, nowMs);
}

/** `14:42:07` within the last day, else with its date. */
export function moment(at: string, nowMs: number): string {
  const date = new Date(at);
  const isOld = Math.abs(nowMs - date.getTime()) > day * 1000;
  return isOld ? `${dayOf(date)} ${clock(date).slice(0, 5)}` : clock(date);
}

/** `today 14:42:07`, `yesterday 23:10:00`, else its date and `23:10`. */
export function dayMoment(at: string, nowMs: number): string {
  const date = new Date(at);
  const before = new Date(nowMs);
  if (dayOf(date) === dayOf(before)) return `today ${clock(date)}`;
  before.setDate(before.getDate() - 1);
  if (dayOf(date) === dayOf(before)) return `yesterday ${clock(date)}`;
  return `${dayOf(date)} ${clock(date).slice(0, 5)}`;
}

const two = (value: number): string => String(value).padStart(2, '0');

/** Local, 24 hours. */
export function clock(date: Date): string {
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

function dayOf(date: Date): string {
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** Exact, with the zone: what a hint shows. */
export function exactMoment(at: string): string {
  const date = new Date(at);
  const offset = -date.getTimezoneOffset();
  const size = Math.abs(offset);
  const zone =
    offset === 0
      ? 'UTC'
      : `UTC${offset < 0 ? '\u2212' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
  return `${dayOf(date)} ${clock(date)}.${String(date.getMilliseconds()).padStart(3, '0')} ${zone}`;
}
