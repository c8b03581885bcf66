// Runs programs in a child and returns the outcome. A child in which a hole was found, or which ended, is
// never used again.

import { type BatchEnd, FuzzingChild, type ProgramRunner } from './fuzzing-child.ts';
import type { Vocabulary } from './grammar/vocabulary.ts';
import { givenUp, turnOrder } from './messages.ts';
import { type FuzzProgram, moduleText } from './program-tree.ts';

/** A child holds on to what its programs have left behind. */
const batchesPerChild = 200;

export type Outcome =
  | { readonly type: 'sound' }
  /** Sentences. */
  | { readonly type: 'found'; readonly faults: readonly string[] }
  | { readonly type: 'refused'; readonly why: string }
  /** Says nothing of the realm: time, memory or stack ran out. `index`: in which of them. */
  | { readonly type: 'exhausted'; readonly index: number };

export type StartRunner = () => Promise<ProgramRunner>;

export const inProcess: StartRunner = () => FuzzingChild.start();

export class Trial {
  readonly #isKnown: (hole: string) => boolean;
  readonly #start: StartRunner;
  #child: ProgramRunner | null = null;
  #batches = 0;

  /** Holes that `isKnown` names are not reported. */
  constructor(start: StartRunner, isKnown: (hole: string) => boolean = () => false) {
    this.#start = start;
    this.#isKnown = isKnown;
  }

  async vocabulary(): Promise<Vocabulary> {
    return (await this.#soundChild()).vocabulary;
  }

  async run(programs: readonly FuzzProgram[]): Promise<Outcome> {
    const child = await this.#soundChild();
    const orders = programs.map(({ order }) => order);
    const end = await child.run(moduleText(programs), orders);
    const outcome = this.#withoutKnown(outcomeOf(end, programs.length));
    if (end.type !== 'checked' || outcome.type !== 'sound' || ++this.#batches >= batchesPerChild)
      await this.end();
    return outcome;
  }

  async end(): Promise<void> {
    await this.#child?.end();
    this.#child = null;
  }

  #withoutKnown(outcome: Outcome): Outcome {
    if (outcome.type !== 'found') return outcome;
    const faults = outcome.faults.filter((fault) => !this.#isKnown(holeOf(fault)));
    return faults.length === 0 ? { type: 'sound' } : { type: 'found', faults };
  }

  async #soundChild(): Promise<ProgramRunner> {
    if (this.#child === null) this.#batches = 0;
    this.#child ??= await this.#start();
    return this.#child;
  }
}

function outcomeOf(end: BatchEnd, count: number): Outcome {
  if (end.type === 'checked') {
    if (end.faults.length > 0) return { type: 'found', faults: end.faults };
    return end.refusal === null ? { type: 'sound' } : { type: 'refused', why: end.refusal };
  }
  const index = turnOrder(count)[end.at - 1]?.[1] ?? 0;
  const isSpent = end.type === 'hung' || /heap out of memory|heap limit/.test(end.words);
  if (isSpent || end.words.includes(givenUp)) {
    return { type: 'exhausted', index };
  }
  const words =
    end.words
      .trim()
      .split('\n')
      .find((line) => /error/i.test(line)) ?? '';
  const fault = `the child ended with ${end.how} (at program ${index}): ${words}`;
  return { type: 'found', faults: [fault.slice(0, 300)] };
}

/**
 * What two sentences about the same hole have in common: not the way that one program took to it, nor
 * a number.
 */
export function holeOf(fault: string): string {
  const [, reason] = / is shared by two jobs and (.*)$/.exec(fault) ?? [];
  return (reason ?? fault.replace(/ \(at .*$/, '')).replaceAll(/\d+/g, 'N');
}

/** Which program of the batch is the first to look at; the sentences name it. */
export function suspectOf(fault: string): number | null {
  const [, index] = /\bprogram (\d+)/.exec(fault) ?? [];
  return index === undefined ? null : Number(index);
}
