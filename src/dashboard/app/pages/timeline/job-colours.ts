// A colour for each job. The first that were submitted have one of their own; a job keeps its colour.

/** Names of tokens. */
const palette = ['c1', 'c2', 'c3', 'c4', 'c5', 'c6', 'c7', 'c8'];
export const restColour = 'c9';

/** `jobs`: those in view, in order of submission. Whoever came into view earlier has its colour in `kept`. */
export function colourJobs(
  kept: ReadonlyMap<string, string>,
  jobs: readonly string[],
): ReadonlyMap<string, string> {
  const colours = new Map(kept);
  const used = new Set(kept.values());
  const free = palette.filter((colour) => !used.has(colour));
  for (const job of jobs) {
    if (!colours.has(job)) {
      const colour = free.shift();
      if (colour !== undefined) colours.set(job, colour);
    }
  }
  return colours;
}
