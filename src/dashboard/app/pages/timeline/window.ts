// What part of time is seen: the last minutes or hours, which moves along, or a part that was chosen.

import type { Span } from '../../parts/time-scale.ts';

const minuteMs = 60_000;

export const windows = [
  { value: '1m', text: '1 min', told: 'last minute', ms: minuteMs },
  { value: '5m', text: '5 min', told: 'last 5 minutes', ms: 5 * minuteMs },
  { value: '15m', text: '15 min', told: 'last 15 minutes', ms: 15 * minuteMs },
  { value: '1h', text: '1 h', told: 'last hour', ms: 60 * minuteMs },
  { value: '6h', text: '6 h', told: 'last 6 hours', ms: 360 * minuteMs },
  { value: '1d', text: '1 d', told: 'last day', ms: 1_440 * minuteMs },
] as const;

export type Window = (typeof windows)[number];

export const usualWindow: Window = windows[1];

export function windowOf(text: string | null): Window {
  return windows.find(({ value }) => value === text) ?? usualWindow;
}

/** As the address has it: two moments in milliseconds since 1970. Null: it moves along. */
export function chosenSpan(text: string | null): Span | null {
  const [, from, to] = /^(\d{12,14})-(\d{12,14})$/.exec(text ?? '') ?? [];
  if (from === undefined || Number(to) <= Number(from)) return null;
  return { from: Number(from), to: Number(to) };
}

export function textOfSpan({ from, to }: Span): string {
  return `${Math.floor(from)}-${Math.ceil(to)}`;
}

/** The longer what is seen, the less a second matters. */
export function readEveryMs({ from, to }: Span): number {
  return Math.min(30_000, Math.max(2_000, (to - from) / 150));
}
