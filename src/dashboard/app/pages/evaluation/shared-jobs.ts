// Which jobs worked in both of two times: only what the same job did in each says something about the scheduler.

import { inWords, listed } from '../../text/words.ts';

export interface Span {
  readonly from: number;
  readonly until: number;
}

interface Head {
  readonly id: string;
  readonly name: string | null;
  readonly created_at: string;
  readonly completed_at: string | null;
  readonly counts: { readonly completed: number };
}

export interface SharedJobs {
  /** The most work first. `least`: tasks that it completed in that time in which it completed fewer. */
  readonly both: readonly { readonly id: string; readonly least: number }[];
  /** Those that worked in one of the times only. */
  readonly alone: readonly string[];
  /** Older jobs were not looked at: there may be others. */
  readonly isPart: boolean;
}

/** As the address says that none is left out. */
export const allJobs = 'all';
const mostNamed = 3;

/** Those open in both times, the largest first, and those open in one alone. Trials of one input are nobody's work. */
export function openIn(heads: readonly Head[], one: Span, other: Span) {
  const isOpenIn = ({ created_at: begun, completed_at: ended }: Head, { from, until }: Span) =>
    Date.parse(begun) < until && (ended === null || Date.parse(ended) > from);
  const worked = heads.filter(
    ({ name, counts }) => counts.completed > 0 && !(name?.endsWith(' (try)') ?? false),
  );
  return {
    both: worked
      .filter((head) => isOpenIn(head, one) && isOpenIn(head, other))
      .toSorted((a, b) => b.counts.completed - a.counts.completed),
    alone: worked.filter((head) => isOpenIn(head, one) !== isOpenIn(head, other)),
  };
}

/** The job that is compared: as the address has it, else the largest, unless all can be compared. Null: all. */
export function comparedJob({ both, alone }: SharedJobs, asked: string | null): string | null {
  const [first] = both;
  if (asked === allJobs || first === undefined) return null;
  if (both.some(({ id }) => id === asked)) return asked;
  const sum = both.reduce((all, { least }) => all + least, 0);
  return alone.length > 0 || 2 * first.least >= sum ? first.id : null;
}

export interface Comparison {
  /** Whose tasks alone are compared; null: those of all. */
  readonly job: string | null;
  readonly note: string | null;
  /** Differences can be told, and which is better. */
  readonly isTold: boolean;
  readonly isJudged: boolean;
}

export const plainComparison: Comparison = { job: null, note: null, isTold: true, isJudged: true };

export function comparisonOf(
  shared: SharedJobs,
  job: string | null,
  nameOfJob: (id: string) => string,
): Comparison {
  const { both, alone, isPart } = shared;
  const named = (ids: readonly string[]): string => {
    const rest = ids.length - mostNamed;
    const some = ids.slice(0, mostNamed).map(nameOfJob);
    return listed(rest > 0 ? [...some, inWords(rest, 'other')] : some);
  };
  const apart = alone.length === 0 ? '' : ` ${named(alone)} ran in one of the times only.`;
  if (both.length === 0) {
    const why = isPart ? 'no job is known that ran in both' : 'no job ran in both';
    return { job, note: `Not comparable: ${why}.${apart}`, isTold: false, isJudged: false };
  }
  if (job !== null) {
    const others = both.flatMap(({ id }) => (id === job ? [] : [id]));
    const also = others.length === 0 ? '' : ` ${named(others)} ran in both, too.`;
    const note = `Of ${nameOfJob(job)} alone, which ran in both.${apart}${also}`;
    return { job: nameOfJob(job), note, isTold: true, isJudged: true };
  }
  if (alone.length === 0 && !isPart) return plainComparison;
  return {
    job,
    note: `Not the same jobs ran in both.${apart} What differs may be theirs, and not the scheduler's.`,
    isTold: true,
    isJudged: false,
  };
}
