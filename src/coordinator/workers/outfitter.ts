// Reads from the store what an attempt needs to run: its input, the program of its job, the state that it
// resumes from. Something that cannot be read fails only the attempt that needs it. Which worker gets the
// attempt, and on which connection, is the dispatcher's affair. It is done where the connection is: at the member that
// decides, or at another one, which knows of an attempt only what it was told (`Needing`).

import type { AttemptRecord } from '../../core/records.ts';
import type { RawJson } from '../../protocol/codec.ts';
import type { JobPayload } from '../../store/rows.ts';
import type { OutfitReading } from '../../store/reading.ts';
import { StoreFault } from '../../store/store.ts';
import { Bounded } from '../bounded.ts';
import { type InputsOfJob, inputsAtHand, readInputs, unreadable } from './inputs.ts';
import type { Needing, NeedingJob } from './needing.ts';
import type { ResumePoint, ResumePoints } from './resume-points.ts';
import { Programs, type SentProgram } from './programs.ts';
import { RecentPayloads } from './recent-payloads.ts';

/** States read at the same time: each may be megabytes, and is unpacked on another thread. */
const statesAtOnce = 8;
/** States that are in memory for one receiver at a time. */
const statesPerPortion = 4;

export type Outfit<A extends Needing = AttemptRecord> = Equipped<A> | Unreadable<A>;

export interface Equipped<A extends Needing = AttemptRecord> {
  readonly attempt: A;
  /** Identifies the program; its text is read when the receiver lacks it. */
  readonly programSha256: string;
  readonly input: RawJson;
  readonly checkpoint: ResumePoint | undefined;
  readonly problem: null;
}

export interface Unreadable<A extends Needing = AttemptRecord> {
  readonly attempt: A;
  /** What cannot be read, and why. */
  readonly problem: string;
}

/** Tells the log about an attempt that failed because something that it needs cannot be read. */
export class PayloadFault extends Error {
  override readonly name = 'PayloadFault';
}

/** Whether it is said of the value that was to be read, and will be the same next time. */
type IsOfValue = (error: unknown) => boolean;

/** For whoever may be cut off from a database that others reach. */
export const damagedOnly: IsOfValue = (error) =>
  error instanceof StoreFault && error.code === 'value_damaged';

export class Outfitter<A extends Needing = AttemptRecord> {
  private readonly store: OutfitReading;
  private readonly resumePoints: ResumePoints<A>;
  private readonly states = new Bounded(statesAtOnce);
  private readonly programs: Programs;
  private readonly recent = new RecentPayloads();
  private readonly isOfValue: IsOfValue;

  /** Errors of which `isOfValue` says no are thrown: by default every one is told of the attempt that needs the value. */
  constructor(
    store: OutfitReading,
    resumePoints: ResumePoints<A>,
    isOfValue: IsOfValue = () => true,
  ) {
    this.store = store;
    this.resumePoints = resumePoints;
    this.programs = new Programs(store);
    this.isOfValue = isOfValue;
  }

  /** Returns outfits in the order of the attempts. `payloads` came with the commit that assigned them. */
  async outfit(
    attempts: readonly A[],
    payloads: readonly JobPayload[],
  ): Promise<readonly Outfit<A>[]> {
    const inputs: Inputs = new Map();
    const programs = new Map<NeedingJob, Named>();
    const { isOfValue } = this;
    for (const [job, ofJob] of Map.groupBy(attempts, ({ task }) => task.job)) {
      const { key } = job.spec;
      const payload = payloads.find(({ jobKey }) => jobKey === key) ?? this.recent.find(key);
      const indices = ofJob.map(({ task }) => task.index);
      inputs.set(job, await readInputs(this.store, job.spec, indices, payload?.inputs, isOfValue));
      programs.set(job, await this.nameProgram(job, payload));
    }
    const outfits = attempts.map((attempt): Outfit<A> => {
      const { job, index } = attempt.task;
      const input = inputs.get(job)?.get(index) ?? 'Its input is not there.';
      const { sha256: programSha256, problem } = programs.get(job) ?? noProgram;
      if (typeof input === 'string') return { attempt, problem: input };
      if (programSha256 === null) return { attempt, problem };
      return { attempt, programSha256, input, checkpoint: undefined, problem: null };
    });
    const reading: Promise<void>[] = [];
    outfits.forEach((outfit, place) => {
      if (outfit.problem !== null || outfit.attempt.task.checkpoints.length === 0) return;
      const read = this.withState(outfit).then((equipped) => void (outfits[place] = equipped));
      reading.push(read);
    });
    await Promise.all(reading);
    return outfits;
  }

  /**
   * At once, for a first attempt of a job whose submission is `payload`; undefined: something has to be read. The
   * program comes beside it, whether or not the receiver lacks it.
   */
  outfitAtHand(
    attempt: A,
    payload: JobPayload,
  ): { readonly outfit: Equipped<A>; readonly program: SentProgram } | undefined {
    const { job, index } = attempt.task;
    const input = inputsAtHand(job.spec, [index], payload.inputs)?.get(index);
    if (input === undefined || typeof input === 'string') return undefined;
    const program = this.programs.keep(job, payload.program);
    const { sha256: programSha256 } = program;
    const outfit = { attempt, programSha256, input, checkpoint: undefined, problem: null };
    return { outfit, program };
  }

  /** The program, or a sentence that says why it cannot be read. */
  async readProgram(job: NeedingJob): Promise<SentProgram | string> {
    try {
      return (await this.programs.find(job)) ?? noProgram.problem;
    } catch (error) {
      if (!this.isOfValue(error)) throw error;
      return unreadable('program', error);
    }
  }

  /** What jobs were submitted with, after the commit: many of their attempts come soon. */
  keep(payloads: readonly JobPayload[]): void {
    this.recent.keep(payloads);
  }

  /** Forgets what is kept: the database was cleared. */
  forget(): void {
    this.programs.clear();
    this.recent.clear();
  }

  private async withState(outfit: Equipped<A>): Promise<Outfit<A>> {
    const { attempt } = outfit;
    try {
      const checkpoint = await this.states.run(() => this.resumePoints.find(attempt));
      return { ...outfit, checkpoint };
    } catch (error) {
      if (!this.isOfValue(error)) throw error;
      return { attempt, problem: unreadable('checkpoint', error) };
    }
  }

  private async nameProgram(job: NeedingJob, payload: JobPayload | undefined): Promise<Named> {
    try {
      const sha256 = await this.programs.hashOf(job, payload);
      return sha256 === undefined ? noProgram : { sha256, problem: null };
    } catch (error) {
      if (!this.isOfValue(error)) throw error;
      return { sha256: null, problem: unreadable('program', error) };
    }
  }
}

/** Inputs of this many characters, or so, are read at once. */
const portionCharacters = 1024 * 1024;
/** Before it is known how long the inputs are. */
const firstPortion = 16;

/** How many attempts are outfitted at a time, by what those before them needed. */
export class PortionSize {
  #most = firstPortion;
  #count = 0;
  #characters = 0;

  get most(): number {
    return this.#most;
  }

  /** Called for each that was outfitted. */
  note(characters: number): void {
    this.#count++;
    this.#characters += characters;
    const mean = Math.max(1, this.#characters / this.#count);
    this.#most = Math.max(1, Math.floor(portionCharacters / mean));
  }
}

/** Cuts the list so that few states, and no more than `size.most` attempts, are outfitted at a time. */
export function* portions<A extends Needing>(
  attempts: readonly A[],
  size: { readonly most: number },
): Generator<readonly A[]> {
  let portion: A[] = [];
  let states = 0;
  for (const attempt of attempts) {
    portion.push(attempt);
    if (attempt.task.checkpoints.length > 0) states++;
    if (states < statesPerPortion && portion.length < size.most) continue;
    yield portion;
    portion = [];
    states = 0;
  }
  if (portion.length > 0) yield portion;
}

type Named =
  | { readonly sha256: string; readonly problem: null }
  | { readonly sha256: null; readonly problem: string };

const noProgram = { sha256: null, problem: 'Its program is not there.' } as const;

type Inputs = Map<NeedingJob, InputsOfJob>;
