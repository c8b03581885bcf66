// How long tasks of a program took in the last job that had it, for the next one of the same owner: so its workers need
// not wait for a first result until they are given a backlog. Only a guess: another job may have other inputs. In
// memory, forgotten with the process.

import type { JobSpec } from '../../core/records.ts';
import type { ToldEvent } from '../../core/told-events.ts';

/** Programs that are known; of open jobs, those that were submitted last. */
const mostPrograms = 1_000;
const mostOpen = 10_000;

export class UsualTimes {
  /** By owner and program; the one that was measured last at the end. */
  readonly #known = new Map<string, number>();
  /** Of open jobs, by id: owner and program. */
  readonly #open = new Map<string, string>();

  /** Of a job that is being submitted: how long its tasks may take in ms, null when nobody knows. */
  presume({ id, owner, taskCount }: JobSpec, sha256: string): number | null {
    const program = `${sha256} ${owner}`;
    // A job of one task has no backlog, but says something to the next.
    this.#open.set(id, program);
    forgetFirst(this.#open, mostOpen);
    return taskCount === 1 ? null : (this.#known.get(program) ?? null);
  }

  /** Events of a commit. */
  observe(events: readonly ToldEvent[]): void {
    for (const event of events) {
      if (event.type === 'job_finished') this.#learn(event.job.spec.id, event.smoothedTaskMs);
      else if (event.type === 'job_deleted') this.#open.delete(event.job.spec.id);
    }
  }

  #learn(jobId: string, taskMs: number | null): void {
    const program = this.#open.get(jobId);
    if (program === undefined) return;
    this.#open.delete(jobId);
    if (taskMs === null) return;
    this.#known.delete(program);
    this.#known.set(program, taskMs);
    forgetFirst(this.#known, mostPrograms);
  }
}

function forgetFirst(map: Map<string, unknown>, most: number): void {
  if (map.size <= most) return;
  const [first] = map.keys();
  map.delete(first!);
}
