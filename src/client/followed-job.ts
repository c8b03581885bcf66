// A job that was submitted and is followed by the same request. Its first reader reads on where the answer to the
// submission stands; what broke off, and every other reader, asks for the results anew.

import type { JobSummary } from '../protocol/resources.ts';
import type { Endpoint, OpenText } from './request.ts';
import type { ResultLine } from './result-line.ts';
import { resultLines, type ResultsOptions } from './results.ts';

export class FollowedJob {
  /** As it was when it was submitted. */
  readonly job: JobSummary;
  readonly #endpoint: Endpoint;
  #begun: OpenText | undefined;

  /** Without `begun` nothing has been asked for yet: a coordinator of before, or one that had no room for it. */
  constructor(endpoint: Endpoint, job: JobSummary, begun?: OpenText) {
    this.#endpoint = endpoint;
    this.job = job;
    this.#begun = begun;
  }

  /** Each result as it comes, until the job is final, as `resultLines` with `follow` gives them. */
  async *lines(
    options: Omit<ResultsOptions, 'follow'> = {},
  ): AsyncGenerator<ResultLine, void, void> {
    const begun = this.#begun;
    this.#begun = undefined;
    yield* resultLines(this.#endpoint, this.job.id, { ...options, follow: true }, begun);
  }

  /** Nobody will read what has been begun: the connection is for others. */
  leave(): void {
    this.#begun?.leave();
    this.#begun = undefined;
  }
}
