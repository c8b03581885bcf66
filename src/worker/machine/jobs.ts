// The programs that this worker knows, by job, with what was measured of each. Bounded: a job of
// which nothing is held is forgotten when the cache is full, the longest unused first.

import type { JobProgram } from '../../protocol/messages.ts';
import type { ExecutorProgram } from '../executor.ts';
import type { MachineTuning } from './inputs.ts';
import { Pace } from './pace.ts';

export interface Job {
  readonly program: ExecutorProgram;
  readonly timeoutMs: number | null;
  /** False: this worker cannot run programs of its kind; its attempts are refused. */
  readonly isRunnable: boolean;
  readonly pace: Pace;
  /** Attempts on this worker that refer to this job, those being stopped included. */
  held: number;
}

export class Jobs {
  private readonly tuning: MachineTuning;
  private readonly jobs = new Map<string, Job>();
  /** Nothing is held of these; in the order in which they became so. */
  private readonly unused = new Set<string>();
  private characters = 0;

  constructor(tuning: MachineTuning) {
    this.tuning = tuning;
  }

  find(jobId: string): Job | undefined {
    return this.jobs.get(jobId);
  }

  /** Returns the ids of the jobs that were forgotten to make room. */
  learn(jobId: string, description: JobProgram): string[] {
    const known = this.jobs.get(jobId);
    const { source } = description.program;
    const seconds = description.attempt_timeout_seconds;
    const timeoutMs = seconds === null ? null : seconds * 1000;
    const every = description.checkpoint_interval_seconds;
    const checkpointIntervalMs = every === null ? null : every * 1000;
    const program: ExecutorProgram = { jobId, kind: 'javascript', source, checkpointIntervalMs };
    if (known !== undefined && isSame(known, program, timeoutMs)) return [];
    const forgotten = known === undefined ? this.makeRoom(source.length) : [];
    const job: Job = {
      program,
      timeoutMs,
      isRunnable: description.program.kind === 'javascript',
      pace: known?.pace ?? new Pace(),
      held: 0,
    };
    this.characters += source.length - (known?.program.source.length ?? 0);
    this.jobs.set(jobId, job);
    this.unused.add(jobId);
    return forgotten;
  }

  hold(job: Job): void {
    if (job.held === 0) this.unused.delete(job.program.jobId);
    job.held += 1;
  }

  letGo(job: Job): void {
    job.held -= 1;
    // A job whose program was replaced meanwhile is no longer the one in the cache.
    const { jobId } = job.program;
    if (job.held === 0 && this.jobs.get(jobId) === job) this.unused.add(jobId);
  }

  /** For the audit. */
  *all(): Generator<Job> {
    yield* this.jobs.values();
  }

  private makeRoom(characters: number): string[] {
    const forgotten: string[] = [];
    const { programsMax, programsMaxCharacters } = this.tuning;
    for (const jobId of this.unused) {
      const fits = this.characters + characters <= programsMaxCharacters;
      if (fits && this.jobs.size < programsMax) break;
      this.unused.delete(jobId);
      this.characters -= this.jobs.get(jobId)?.program.source.length ?? 0;
      this.jobs.delete(jobId);
      forgotten.push(jobId);
    }
    return forgotten;
  }
}

function isSame({ program, timeoutMs }: Job, other: ExecutorProgram, otherMs: number | null) {
  const { source, checkpointIntervalMs } = program;
  const isSameProgram =
    source === other.source && checkpointIntervalMs === other.checkpointIntervalMs;
  return isSameProgram && timeoutMs === otherMs;
}
