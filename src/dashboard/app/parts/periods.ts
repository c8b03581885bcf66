// Lengths of time that people choose from, as the address names them.

const hourMs = 3_600_000;

export interface Period {
  readonly value: string;
  readonly text: string;
  /** Behind `the`. */
  readonly told: string;
  readonly ms: number;
}

export const periods: readonly Period[] = [
  { value: '1h', text: '1 h', told: 'last hour', ms: hourMs },
  { value: '24h', text: '24 h', told: 'last 24 hours', ms: 24 * hourMs },
  { value: '7d', text: '7 d', told: 'last 7 days', ms: 168 * hourMs },
  { value: '30d', text: '30 d', told: 'last 30 days', ms: 720 * hourMs },
];

/** As the address names the time from a moment to another, or to now. */
export function timeFrom(at: string, until: string | null): string {
  return until === null ? `since-${at}` : `between-${at}_${until}`;
}

/** The one beside it, or itself at the end. */
export function besides<Value>(all: readonly Value[], chosen: Value, by: number): Value {
  return all[all.indexOf(chosen) + by] ?? chosen;
}
