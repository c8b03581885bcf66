// What went wrong in a job, by kinds of error. The attempts that failed are read in small chunks, between
// which other work has its turn, and no more of them than `mostAttempts`. Who asks while the same job is
// being read gets the same answer.

import type { State } from '../../core/state.ts';
import type { JobErrors } from '../../protocol/resources.ts';
import type { AttemptPlace, Reading } from '../../store/reading.ts';
import type { AttemptRow } from '../../store/rows.ts';
import type { WriterLoop } from '../writer/writer-loop.ts';
import { ErrorKinds } from './error-kinds.ts';

export interface JobErrorOptions {
  readonly state: Pick<State, 'jobs'>;
  readonly store: Pick<Reading, 'findJobHead' | 'findTask' | 'listJobAttempts'>;
  readonly loop: Pick<WriterLoop, 'settled'>;
  /** Resolves after other work had a turn of the event loop. */
  readonly turn: () => Promise<void>;
  /** Attempts of a job that are looked at; 200 000 by default: a second or two of work. */
  readonly mostAttempts?: number;
}

/** Some milliseconds of work, even when every message is as long as may be. */
const chunkRows = 250;
const defaultMostAttempts = 200_000;

export class JobErrorReads {
  readonly #options: JobErrorOptions;
  readonly #underWay = new Map<number, Promise<Gathered>>();

  constructor(options: JobErrorOptions) {
    this.#options = options;
  }

  /** Undefined: no such job. */
  async find(jobId: string, limit: number): Promise<JobErrors | undefined> {
    const { state, store, loop } = this.#options;
    await loop.settled();
    const { spec } = state.jobs.get(jobId) ?? (await store.findJobHead(jobId)) ?? {};
    if (spec === undefined) return undefined;
    const { kinds, isWhole } = await this.#gathered(spec.key);
    return {
      job_id: jobId,
      complete: isWhole && kinds.isComplete,
      attempts: kinds.attempts,
      kinds: await Promise.all(
        kinds.list(limit).map(async ({ exampleMessage, examples, workers, ...kind }) => ({
          ...kind,
          workers: workers.size,
          example_message: exampleMessage,
          examples,
          completed_elsewhere: await this.#completedElsewhere(spec.key, examples, workers),
        })),
      ),
    };
  }

  /** Of these tasks those that none of these workers completed. */
  async #completedElsewhere(
    jobKey: number,
    indices: readonly number[],
    workers: ReadonlySet<string>,
  ): Promise<readonly number[]> {
    const { store } = this.#options;
    const tasks = await Promise.all(indices.map((index) => store.findTask(jobKey, index)));
    return tasks.flatMap((task) =>
      task?.status === 'completed' && task.workerId !== null && !workers.has(task.workerId)
        ? [task.index]
        : [],
    );
  }

  #gathered(jobKey: number): Promise<Gathered> {
    const before = this.#underWay.get(jobKey);
    if (before !== undefined) return before;
    const gathering = this.#gather(jobKey).finally(() => this.#underWay.delete(jobKey));
    this.#underWay.set(jobKey, gathering);
    return gathering;
  }

  async #gather(jobKey: number): Promise<Gathered> {
    const { store, loop, turn, mostAttempts = defaultMostAttempts } = this.#options;
    const kinds = new ErrorKinds();
    let after: AttemptPlace | null = null;
    for (let read = 0; read < mostAttempts; read += chunkRows) {
      const limit = Math.min(chunkRows, mostAttempts - read);
      const rows: readonly AttemptRow[] = await store.listJobAttempts(jobKey, after, limit);
      for (const row of rows) if (isError(row)) kinds.add(row);
      if (rows.length < limit) return { kinds, isWhole: true };
      const { index, attempt }: AttemptRow = rows.at(-1)!;
      after = { index, attempt };
      await turn();
      await loop.settled();
    }
    const rest = await store.listJobAttempts(jobKey, after, 1);
    return { kinds, isWhole: rest.length === 0 };
  }
}

interface Gathered {
  readonly kinds: ErrorKinds;
  readonly isWhole: boolean;
}

/** What a worker did not take, or was taken back from it, is no error. */
function isError({ outcome }: AttemptRow): boolean {
  return outcome === 'failed' || outcome === 'lost' || outcome === 'timed_out';
}
