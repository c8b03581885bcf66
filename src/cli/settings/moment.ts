// A moment of the past as a flag takes it: how long ago it was, or when.

import { InvalidArgumentError } from 'commander';

/** Of the units in which flags take a time. */
const unitMs = {
  s: 1_000,
  m: 60_000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
} as const;

const SPAN = /^(\d+(?:\.\d+)?)\s*(s|m|min|h|d|w)$/;
/** A day, or a moment of it; without a zone it is that of the machine. */
const WHEN = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})?)?$/;

/** `90s`, `30m` (or `30min`), `2h`, `7d`, `2w` in milliseconds; undefined when it is no such text. */
export function spanMs(text: string): number | undefined {
  const [, number, unit] = SPAN.exec(text.trim()) ?? [];
  return number === undefined ? undefined : Number(number) * unitMs[unit as keyof typeof unitMs];
}

/** In milliseconds since the epoch. */
export function pastMoment(text: string, nowMs = Date.now()): number {
  const given = text.trim();
  const ago = spanMs(given);
  if (ago !== undefined) return nowMs - ago;
  // A day alone would be taken for one in UTC.
  const whole = given.includes('T') ? given : `${given}T00:00`;
  const when = WHEN.test(given) && isInCalendar(given) ? Date.parse(whole) : Number.NaN;
  if (!Number.isNaN(when)) return when;
  throw new InvalidArgumentError(
    `"${text}" is not a moment: how long ago, like 7d, 12h or 30m, or when, like 2026-01-31 or ` +
      '2026-01-31T18:00.',
  );
}

/** 30 February would be taken for 2 March. */
function isInCalendar(given: string): boolean {
  const day = given.slice(0, 'yyyy-mm-dd'.length);
  const midnightMs = Date.parse(`${day}T00:00Z`);
  return !Number.isNaN(midnightMs) && new Date(midnightMs).toISOString().startsWith(day);
}
