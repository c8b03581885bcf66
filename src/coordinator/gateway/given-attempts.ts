// Attempts as a member that does not decide knows them: what is told to the worker, and what has to be read for it.

import type { BareAssignMessage, BareAssignment, BareJob } from '../../protocol/bare-assign.ts';
import type { Wording } from '../workers/assignment-lines.ts';
import { filledIn, withProgram } from '../workers/assignment.ts';
import type { Needing, SavedState } from '../workers/needing.ts';

/** Jobs that are known at a time: of one that is known, the hash of its program is. */
const mostJobs = 10_000;

export interface GivenAttempt extends Needing {
  readonly task: {
    readonly job: GivenJob;
    readonly index: number;
    readonly checkpoints: readonly SavedState[];
  };
  readonly words: Omit<BareAssignment, 'states'>;
}

interface GivenJob extends Pick<BareJob, 'kind' | 'about'> {
  readonly spec: { readonly key: number; readonly rangeStart: number | null };
}

export class GivenAttempts {
  /** By id; those that came first are forgotten first. */
  readonly #jobs = new Map<string, GivenJob>();

  of({ jobs, assignments }: BareAssignMessage): readonly GivenAttempt[] {
    for (const [id, job] of Object.entries(jobs)) this.#learn(id, job);
    return assignments.map(({ states = [], ...words }) => {
      const checkpoints = states.map(({ size_bytes: sizeBytes, ...state }) => ({
        ...state,
        sizeBytes,
      }));
      return {
        words,
        task: { job: this.#jobs.get(words.job_id)!, index: words.index, checkpoints },
        resumedFrom: checkpoints.at(-1) ?? null,
      };
    });
  }

  #learn(id: string, { key, range_start: rangeStart, kind, about }: BareJob): void {
    if (this.#jobs.has(id)) return;
    if (this.#jobs.size >= mostJobs) this.#jobs.delete(this.#jobs.keys().next().value!);
    this.#jobs.set(id, { spec: { key, rangeStart }, kind, about });
  }
}

export const wordingOfGiven: Wording<GivenAttempt> = {
  jobIdOf: ({ words }) => words.job_id,
  assignmentOf: (outfit) => filledIn(outfit.attempt.words, outfit),
  describe: ({ attempt, programSha256 }, program) =>
    withProgram(attempt.task.job, programSha256, program),
  // Who has assigned it counts otherwise.
  numbered: () => undefined,
};
