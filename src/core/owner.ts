// Whose a job is: a text that never changes. Nothing is decided by it here; counts are kept by it, so that
// who may see only what is its own is answered without looking through everything.

import type { JobSpec } from './records.ts';
import { type Counters, emptyCounters, type State } from './state.ts';

/** Owner of what was submitted before there were owners, or where nobody needs a token. */
export const adminOwner = 'admin';

/**
 * Counters of the owner of a job; undefined for those of the admin, which are what the others leave of all:
 * where there is one owner, nothing is counted twice.
 */
export function ownCounters({ ownerCounters }: State, { owner }: JobSpec): Counters | undefined {
  if (owner === adminOwner) return undefined;
  let counters = ownerCounters.get(owner);
  if (counters === undefined) {
    counters = emptyCounters();
    ownerCounters.set(owner, counters);
  }
  return counters;
}

/** A job of the owner is gone: who has no other is forgotten, so that owners without jobs take no room. */
export function forgetIdleOwner({ ownerCounters }: State, { owner }: JobSpec): void {
  if (ownerCounters.get(owner)?.jobs === 0) ownerCounters.delete(owner);
}

/** What there is of one owner. Decisions are those about jobs that it has had since the start. */
export function countersOf({ counters, ownerCounters }: State, owner: string): Counters {
  const { decisionsBy, ...numbers } = counters;
  if (owner !== adminOwner) return ownerCounters.get(owner) ?? emptyCounters();
  const rest: Counters = { ...numbers, decisionsBy: { ...decisionsBy } };
  for (const others of ownerCounters.values()) subtract(rest, others);
  return rest;
}

function subtract(from: Counters, { decisionsBy, ...numbers }: Counters): void {
  for (const [name, count] of Object.entries(numbers)) from[name as keyof typeof numbers] -= count;
  for (const [name, count] of Object.entries(decisionsBy)) {
    const algorithm = name as keyof typeof decisionsBy;
    from.decisionsBy[algorithm] = (from.decisionsBy[algorithm] ?? 0) - count;
  }
}
