// When another algorithm came into force, as marks in pictures of time.

interface SchedulerChange {
  readonly at: string;
  readonly algorithm: string;
}

/** `changes`: newest first. Where the one before had the same algorithm only weights were changed. */
export function algorithmChanges(changes: readonly SchedulerChange[]) {
  return changes
    .filter(({ algorithm }, place) => changes[place + 1]?.algorithm !== algorithm)
    .map(({ at, algorithm }) => ({
      atMs: Date.parse(at),
      text: `${algorithm} in force`,
      short: algorithm,
    }));
}
