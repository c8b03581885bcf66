// Whether a job is the asking owner's. One look into an index, the same for jobs of others as for those that
// are not there, and before anything else is done: so the two cannot be told apart by what comes after. The
// owner of an id never changes, and no id is used again: an answer stays true.

import type { JobReading } from '../../store/reading.ts';
import type { WriterLoop } from '../writer/writer-loop.ts';

export interface OwnershipOptions {
  readonly store: Pick<JobReading, 'findJobOwner'>;
  readonly loop: Pick<WriterLoop, 'settled'>;
}

export class Ownership {
  readonly owner: string;
  private readonly options: OwnershipOptions;

  constructor(owner: string, options: OwnershipOptions) {
    this.owner = owner;
    this.options = options;
  }

  async has(jobId: string): Promise<boolean> {
    const { store, loop } = this.options;
    await loop.settled();
    return (await store.findJobOwner(jobId)) === this.owner;
  }

  /** What is answered about the owner's job, or what is answered where there is none. */
  async about<T, None>(jobId: string, none: None, answer: () => Promise<T>): Promise<T | None> {
    return (await this.has(jobId)) ? answer() : none;
  }
}
