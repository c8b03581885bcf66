// Makes programs, runs them in batches, and pursues what is found until it is one small program.

import { makeProgram } from './grammar/grammar.ts';
import type { FuzzProgram } from './program-tree.ts';
import { fewerOf, reduce } from './reducer.ts';
import { holeOf, inProcess, type Outcome, type StartRunner, suspectOf, Trial } from './trial.ts';

const batchSize = 256;

export interface FuzzOptions {
  readonly seed: number;
  /** Number of programs. */
  readonly programs: number;
  /** The fuzzer ends after so many different holes. */
  readonly finds: number;
  /** Whether the statements of what is found are reduced, too. */
  readonly isReducing: boolean;
  /** Children that run batches at the same time; what is found does not depend on it, its order may. */
  readonly atOnce: number;
  /** Where programs run; by default in processes. */
  readonly start?: StartRunner;
  readonly onProgress?: (report: FuzzReport) => void;
  readonly onFind?: (find: Find) => void;
}

export interface Find {
  /** The hole, then other faults that were seen with it. */
  readonly sentences: readonly string[];
  readonly seed: number;
  /** Of the programs that show it together; empty when a realm shows it without any. */
  readonly numbers: readonly number[];
  /** Those, reduced. */
  readonly programs: readonly FuzzProgram[];
  /** Programs that had been run by then. */
  readonly after: number;
}

export interface FuzzReport {
  readonly ran: number;
  readonly finds: readonly Find[];
  /** Numbers of programs that ran out of time, memory or stack, and of those that did not parse. */
  readonly exhausted: readonly number[];
  readonly refused: readonly number[];
}

export async function fuzz(options: FuzzOptions): Promise<FuzzReport> {
  return new Fuzzer(options).run();
}

/** Runs some programs together and says what is wrong then. */
export async function replay(
  seed: number,
  numbers: readonly number[],
  start = inProcess,
): Promise<{
  readonly programs: readonly FuzzProgram[];
  readonly outcome: Outcome;
}> {
  const trial = new Trial(start);
  try {
    const vocabulary = await trial.vocabulary();
    const programs = numbers.map((number) => makeProgram(seed, number, vocabulary));
    return { programs, outcome: await trial.run(programs) };
  } finally {
    await trial.end();
  }
}

interface Numbered {
  readonly number: number;
  readonly program: FuzzProgram;
}

class Fuzzer {
  readonly #options: FuzzOptions;
  readonly #holes = new Set<string>();
  readonly #finds: Find[] = [];
  readonly #exhausted: number[] = [];
  readonly #refused: number[] = [];
  /** Number of the program that is made next. */
  #next = 0;
  #ran = 0;

  constructor(options: FuzzOptions) {
    this.#options = options;
  }

  async run(): Promise<FuzzReport> {
    const lanes = Array.from({ length: this.#options.atOnce }, () => this.#lane());
    await Promise.all(lanes);
    return this.#report();
  }

  async #lane(): Promise<void> {
    const { seed, programs, finds, onProgress } = this.#options;
    const trial = new Trial(this.#options.start ?? inProcess, (hole) => this.#holes.has(hole));
    try {
      const vocabulary = await trial.vocabulary();
      while (this.#next < programs && this.#finds.length < finds) {
        const first = this.#next;
        const count = Math.min(batchSize, programs - first);
        this.#next += count;
        const batch = Array.from({ length: count }, (_, i): Numbered => {
          return { number: first + i, program: makeProgram(seed, first + i, vocabulary) };
        });
        await this.#runBatch(trial, batch);
        this.#ran += count;
        onProgress?.(this.#report());
      }
    } finally {
      await trial.end();
    }
  }

  #report(): FuzzReport {
    return {
      ran: this.#ran,
      finds: this.#finds,
      exhausted: this.#exhausted,
      refused: this.#refused,
    };
  }

  async #runBatch(trial: Trial, batch: readonly Numbered[]): Promise<void> {
    if (batch.length === 0) return;
    const outcome = await trial.run(batch.map(({ program }) => program));
    switch (outcome.type) {
      case 'sound':
        return;
      case 'found':
        return this.#pursue(trial, batch, outcome.faults);
      case 'exhausted':
        this.#exhausted.push(batch[outcome.index]!.number);
        return this.#runBatch(trial, batch.toSpliced(outcome.index, 1));
      case 'refused':
        return this.#split(trial, batch);
    }
  }

  /** A program that does not parse keeps the others of its batch from running. */
  async #split(trial: Trial, batch: readonly Numbered[]): Promise<void> {
    if (batch.length === 1) {
      this.#refused.push(batch[0]!.number);
      return;
    }
    const middle = batch.length >> 1;
    await this.#runBatch(trial, batch.slice(0, middle));
    await this.#runBatch(trial, batch.slice(middle));
  }

  /** What is seen together with a hole, in the program that shows it, is told with it. */
  async #pursue(
    trial: Trial,
    batch: readonly Numbered[],
    faults: readonly string[],
  ): Promise<void> {
    const { seed, finds, isReducing, onFind } = this.#options;
    for (const fault of faults) {
      const hole = holeOf(fault);
      if (this.#holes.has(hole) || this.#finds.length >= finds) continue;
      const shows = (programs: readonly FuzzProgram[]) => showsHole(trial, programs, hole);
      const few = await this.#guilty(batch, fault, shows);
      const programs = few.map(({ program }) => program);
      const reduced = isReducing ? await reduce(programs, shows) : programs;
      const outcome = await trial.run(reduced);
      const seen = outcome.type === 'found' ? outcome.faults : [];
      const sentences = [fault, ...seen.filter((each) => holeOf(each) !== hole)];
      for (const each of sentences) this.#holes.add(holeOf(each));
      const numbers = few.map(({ number }) => number);
      const after = this.#ran + batch.length;
      const find: Find = { sentences, seed, numbers, programs: reduced, after };
      this.#finds.push(find);
      onFind?.(find);
    }
  }

  async #guilty(
    batch: readonly Numbered[],
    fault: string,
    shows: (programs: readonly FuzzProgram[]) => Promise<boolean>,
  ): Promise<readonly Numbered[]> {
    const suspect = batch[suspectOf(fault) ?? -1];
    if (suspect !== undefined && (await shows([suspect.program]))) return [suspect];
    const few = await fewerOf(
      batch.map(({ program }) => program),
      shows,
    );
    return batch.filter(({ program }) => few.includes(program));
  }
}

async function showsHole(
  trial: Trial,
  programs: readonly FuzzProgram[],
  hole: string,
): Promise<boolean> {
  const outcome = await trial.run(programs);
  return outcome.type === 'found' && outcome.faults.some((fault) => holeOf(fault) === hole);
}
