// Times and shares in the words of the command line; numbers and durations have the coordinator's words.

import { timeUnits } from '../../protocol/wording.ts';

export { counted, duration, grouped } from '../../protocol/wording.ts';

/** `just now`, `5 s ago`, `3 h ago`. A clock that is ahead of ours is `just now` too. */
export function ago(time: string, nowMs: number): string {
  const seconds = Math.floor((nowMs - Date.parse(time)) / 1_000);
  if (Number.isNaN(seconds)) return '?';
  if (seconds < 2) return 'just now';
  const unit = timeUnits.find((each) => seconds >= each.seconds) ?? timeUnits[3];
  return `${Math.floor(seconds / unit.seconds)} ${unit.name} ago`;
}

/** `in 3 h`, the nearest; what is over, or about to be, is `now`. */
export function ahead(time: string, nowMs: number): string {
  const seconds = Math.round((Date.parse(time) - nowMs) / 1_000);
  if (Number.isNaN(seconds)) return '?';
  if (seconds < 2) return 'now';
  const at = timeUnits.findIndex((each) => seconds >= each.seconds);
  const unit = timeUnits[at] ?? timeUnits[3];
  const count = Math.round(seconds / unit.seconds);
  // An hour less a second is an hour, not 60 minutes.
  const larger = timeUnits[at - 1];
  if (larger !== undefined && count * unit.seconds >= larger.seconds) return `in 1 ${larger.name}`;
  return `in ${count} ${unit.name}`;
}

/** 0.314 → `31 %` */
export function percent(share: number): string {
  // Only a share of 1 is shown as 100 %.
  return `${share >= 1 ? 100 : Math.min(99, Math.round(share * 100))} %`;
}

/** Beside every advice to run a job again: a person who has mended the program expects that one to run. */
export function retryNote(jobId: string): readonly string[] {
  return [
    '(runs the program that was submitted; a changed one runs on what failed by',
    ` muster submit PROGRAM --failed-of ${jobId})`,
  ];
}
