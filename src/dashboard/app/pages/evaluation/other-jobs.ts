// Two times in which different jobs ran cannot be held against each other without a thought for them.

import { listed } from '../../text/words.ts';

interface Attempt {
  readonly job_id: string;
}

const mostNamed = 3;

/** Which jobs worked in one of two times alone, as a sentence; null: they were the same. */
export function otherJobsSentence(
  one: readonly Attempt[],
  other: readonly Attempt[],
  nameOfJob: (id: string) => string,
): string | null {
  const mine = new Set(one.map(({ job_id: id }) => id));
  const its = new Set(other.map(({ job_id: id }) => id));
  const differing = [
    ...[...mine].filter((id) => !its.has(id)),
    ...[...its].filter((id) => !mine.has(id)),
  ];
  if (differing.length === 0) return null;
  const named = differing.slice(0, mostNamed).map(nameOfJob);
  const more = differing.length - named.length;
  const jobs = listed([...named, ...(more > 0 ? [`${more} more`] : [])]);
  return `Not the same jobs ran in both: ${jobs} in one alone. What differs may be theirs, and not the scheduler's.`;
}
