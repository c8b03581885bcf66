// A moment: how long ago, or at what time; exact in its hint, and in what is copied.

import { now } from '../store/clock.ts';
import { ago, dayMoment, exactMoment, moment } from '../text/times.ts';
import { none, unknown } from '../text/numbers.ts';

interface TimeProps {
  readonly at: string | null | undefined;
  /** How long ago instead of when. */
  readonly isAgo?: boolean;
  /** Up to when it is counted, if not now. */
  readonly nowMs?: number;
  /** With its day, also when that is today. */
  readonly hasDay?: boolean;
  /** Why there is none. */
  readonly without?: string;
}

export function Time({ at, isAgo = false, nowMs = now.value, hasDay = false, without }: TimeProps) {
  if (at === null || at === undefined) return <NotTold why={without} />;
  const text = (isAgo ? ago : hasDay ? dayMoment : moment)(at, nowMs);
  return (
    <time dateTime={at} title={exactMoment(at)}>
      {text}
    </time>
  );
}

/** `n/a`, and why; without a reason it does not apply. */
export function NotTold({ why }: { readonly why?: string | undefined }) {
  return (
    <span class="mute" title={why}>
      {why === undefined ? none : unknown}
    </span>
  );
}
