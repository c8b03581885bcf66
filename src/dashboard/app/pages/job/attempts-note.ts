// Which time the picture of the attempts shows: what is too much, or not kept any more, is no pause.

import type { AttemptHistory } from '../../../../protocol/evaluation.ts';
import type { Span } from '../../parts/time-scale.ts';
import { clock, wholeDuration } from '../../text/times.ts';
import { counted } from '../../text/words.ts';

const minuteMs = 60_000;

interface Shown {
  readonly history: AttemptHistory | null;
  readonly shown: Span;
  /** Attempts of the time that was asked for are missing before it. */
  readonly isCut: boolean;
  /** The length that was chosen; null: a time of its own was. */
  readonly minutes: number | null;
  /** Its right edge is now. */
  readonly isLive: boolean;
}

export function attemptsNote({ history, isCut, shown, minutes, isLive }: Shown): string {
  const from = clock(new Date(shown.from));
  if (minutes === null) return `${from} to ${clock(new Date(shown.to))}`;
  if (isCut) {
    const why = (history?.left_out ?? 0) > 0 ? 'too many: only' : `kept since ${from}:`;
    return `${why} the last ${wholeDuration((shown.to - shown.from) / 1000)}`;
  }
  if (shown.to - shown.from < minutes * minuteMs) return `since ${from}`;
  return `${isLive ? 'last' : 'its last'} ${minutes === 60 ? 'hour' : counted(minutes, 'minute')}`;
}
