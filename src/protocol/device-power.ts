// What a task costs in energy where nobody has measured it: CPU time × the watts of a busy core. Good for
// comparing workers, not for a bill.

/** Watts that one busy core adds: package power of typical chips under load divided by their cores. */
export const wattsPerCore = { desktop: 10, laptop: 5, phone: 2 } as const;

/** Energy of an attempt: CPU seconds × watts of one busy core. */
export function energyJoules(cpuSeconds: number, watts: number): number {
  return cpuSeconds * watts;
}
