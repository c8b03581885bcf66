// An invariant in one line: it holds, or the program has a bug.

import type { TaskRecord } from '../records.ts';
import { broken } from './story.ts';

/** The sentence is made only when it is needed: there are hundreds of these in one step. */
export function assert(holds: boolean, what: string | (() => string), task?: TaskRecord): void {
  if (!holds) throw broken(typeof what === 'string' ? what : what(), task);
}
