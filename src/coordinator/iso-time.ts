/** A moment in ms since 1970 as the interface says it: ISO 8601 in UTC, to the millisecond. */
export function isoTime(ms: number): string {
  const second = Math.floor(ms / 1_000);
  if (second !== lastSecond) {
    lastText = new Date(second * 1_000).toISOString().slice(0, -4);
    lastSecond = second;
  }
  const rest = Math.floor(ms - second * 1_000);
  return `${lastText}${thousandths[rest]!}Z`;
}

/** What is told of a small job has a few times that differ by milliseconds; the calendar is asked once for all of them. */
let lastSecond = NaN;
let lastText = '';

const thousandths = Array.from({ length: 1_000 }, (_, ms) => String(ms).padStart(3, '0'));
