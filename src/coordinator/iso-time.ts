/** A moment in ms since 1970 as the interface says it: ISO 8601 in UTC, to the millisecond. */
export function isoTime(ms: number): string {
  if (ms !== lastMs) {
    lastText = new Date(ms).toISOString();
    lastMs = ms;
  }
  return lastText;
}

/** What one commit has changed, and what is told of it, mostly has the same time. */
let lastMs = NaN;
let lastText = '';
