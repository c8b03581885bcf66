/** A moment in ms since 1970 as the interface says it: ISO 8601 in UTC, to the millisecond. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
