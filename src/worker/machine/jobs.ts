// The jobs that this worker knows, with the run times measured of each, and the programs that it
// keeps by their hash. Both are bounded. When there are too many jobs, those without a held attempt
// are forgotten, the longest unused first; only the measurements are lost, since every frame
// describes its jobs. Programs are forgotten by a rule that the coordinator follows too
// (`protocol/program-shelf.ts`).

import { payloadText } from '../../protocol/codec.ts';
import type { JobDescription, KeptPrograms, ProgramDescription } from '../../protocol/messages.ts';
import { defaultTaskMemoryMb } from '../../protocol/task-memory.ts';
import { defaultProgramKind } from '../../protocol/program.ts';
import { namedProgramsMax, ProgramShelf } from '../../protocol/program-shelf.ts';
import type { ExecutorProgram } from '../executor.ts';
import type { MachineOptions, MachineTuning } from './port.ts';
import { Pace } from './pace.ts';

export interface Job {
  readonly program: ExecutorProgram;
  readonly timeoutMs: number | null;
  /** Why this worker cannot run it; attempts of the job are refused then. Null: it can. */
  readonly unfit: string | null;
  readonly pace: Pace;
  /** Attempts of this job on the worker, those being stopped included. */
  held: number;
}

/** What a program is, and what its tasks share. */
type Code = Pick<ExecutorProgram, 'source' | 'sharedJson'>;

function charactersOf({ source, sharedJson = '' }: Code): number {
  return source.length + sharedJson.length;
}

export class Jobs {
  readonly #tuning: MachineTuning;
  readonly #kinds: readonly string[];
  /** The most that one task gets here, whatever its job asks for. */
  readonly #memoryMb: number;
  readonly #jobs = new Map<string, Job>();
  /** By hash. */
  readonly #shelf: ProgramShelf<Code>;
  /** Jobs without a held attempt, in the order in which the last one of each left. */
  readonly #unused = new Set<string>();
  #characters = 0;

  constructor({ device }: Pick<MachineOptions, 'device'>, tuning: MachineTuning) {
    this.#tuning = tuning;
    this.#kinds = device.kinds ?? [defaultProgramKind];
    this.#memoryMb = device.task_memory_mb ?? defaultTaskMemoryMb;
    this.#shelf = new ProgramShelf(tuning.shelf);
  }

  find(jobId: string): Job | undefined {
    return this.#jobs.get(jobId);
  }

  /**
   * Null when the program is not here. `forget` is called for each job that is forgotten to make
   * room.
   */
  learn(jobId: string, description: JobDescription, forget: (jobId: string) => void): Job | null {
    const known = this.#jobs.get(jobId);
    const { kind, sha256 } = description.program;
    const code = this.#codeOf(description.program);
    if (code === undefined) return null;
    const seconds = description.attempt_timeout_seconds;
    const timeoutMs = seconds === null ? null : seconds * 1000;
    const every = description.checkpoint_interval_seconds;
    const checkpointIntervalMs = every === null ? null : every * 1000;
    const { keep_output: keepOutput, live_output: isLive, memory_mb: memoryMb } = description;
    const program: ExecutorProgram = {
      jobId,
      kind,
      ...(sha256 === undefined ? {} : { sha256 }),
      ...code,
      checkpointIntervalMs,
      ...(keepOutput === undefined ? {} : { keepOutput }),
      ...(isLive === true ? { liveOutput: true } : {}),
      ...(memoryMb === undefined ? {} : { memoryMb }),
    };
    if (known !== undefined && isSame(known, program, timeoutMs)) return known;
    if (known === undefined) this.#makeRoom(charactersOf(code), forget);
    const job: Job = {
      program,
      timeoutMs,
      unfit: this.#unfit(program),
      pace: known?.pace ?? new Pace(),
      held: 0,
    };
    this.#characters +=
      charactersOf(code) - (known === undefined ? 0 : charactersOf(known.program));
    this.#jobs.set(jobId, job);
    this.#unused.add(jobId);
    return job;
  }

  #unfit({ kind, memoryMb = 0 }: ExecutorProgram): string | null {
    if (!this.#kinds.includes(kind)) return 'unsupported_kind';
    return memoryMb > this.#memoryMb ? 'too_much_memory' : null;
  }

  /** For `hello`. */
  keptPrograms(): KeptPrograms {
    const { programs: most, characters: most_characters } = this.#tuning.shelf;
    const kept = this.#shelf
      .newest(namedProgramsMax)
      .map(([sha256, { characters }]) => ({ sha256, characters }));
    return { most, most_characters, kept };
  }

  /** When the worker registers anew: the coordinator takes it to keep no programs. */
  forgetPrograms(): void {
    this.#shelf.clear();
  }

  hold(job: Job): void {
    if (job.held === 0) this.#unused.delete(job.program.jobId);
    job.held += 1;
  }

  letGo(job: Job): void {
    job.held -= 1;
    // A job whose program was replaced meanwhile is no longer the one in the cache.
    const { jobId } = job.program;
    if (job.held === 0 && this.#jobs.get(jobId) === job) this.#unused.add(jobId);
  }

  /** For the audit. */
  *all(): Generator<Job> {
    yield* this.#jobs.values();
  }

  /** Invariant: uses the shelf as the coordinator uses its copy when it makes the frame. */
  #codeOf({ sha256, source: module, definition, shared }: ProgramDescription): Code | undefined {
    const source = definition === undefined ? module : payloadText(definition);
    if (source === undefined) return sha256 === undefined ? undefined : this.#shelf.use(sha256);
    const code: Code =
      shared === undefined ? { source } : { source, sharedJson: payloadText(shared) };
    if (sha256 !== undefined) this.#shelf.put(sha256, charactersOf(code), code);
    return code;
  }

  #makeRoom(characters: number, forget: (jobId: string) => void): void {
    const { jobsMax, jobsMaxCharacters } = this.#tuning;
    for (const jobId of this.#unused) {
      const fits = this.#characters + characters <= jobsMaxCharacters;
      if (fits && this.#jobs.size < jobsMax) break;
      this.#unused.delete(jobId);
      const leaving = this.#jobs.get(jobId);
      if (leaving !== undefined) this.#characters -= charactersOf(leaving.program);
      this.#jobs.delete(jobId);
      forget(jobId);
    }
  }
}

function isSame({ program, timeoutMs }: Job, other: ExecutorProgram, otherMs: number | null) {
  const { source, sharedJson, checkpointIntervalMs } = program;
  const isSameProgram =
    source === other.source &&
    sharedJson === other.sharedJson &&
    checkpointIntervalMs === other.checkpointIntervalMs;
  return isSameProgram && timeoutMs === otherMs;
}
