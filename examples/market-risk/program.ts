// The program that devices run: a task simulates `paths` ten-year paths and counts where they end.
//
// - The history is a part of the program and travels once; in the 400 inputs it would be 2 MB.
// - The only arithmetic is + - * / and comparison on doubles, and all that is kept are whole
//   numbers. So every engine on every device gives the same digits, and so does every order of
//   merging. Logarithms are taken before (history.ts), exponentials after (combine.ts).
// - All that a resumed attempt needs, the random generator included, is in the state: plain JSON.

import type { History } from './history.ts';

export type Input = {
  readonly seed: number;
  /** Which of the independent random streams of this seed; one a task. */
  readonly stream: number;
  readonly paths: number;
  readonly months: number;
  /** Months that stay together when they are drawn. */
  readonly block: number;
};

/** Counts of bins `first`, `first + 1`, …; all others are 0. */
export type SparseCounts = { readonly first: number; readonly counts: readonly number[] };

export type Result = {
  readonly history: Omit<History, 'logReturns'> & { readonly months: number };
  readonly months: number;
  readonly block: number;
  readonly paths: number;
  /** Bin k: k / 50 ≤ ln(end / start) < (k + 1) / 50. So k < 0 is exactly a loss. */
  readonly growth: SparseCounts;
  /** Bin k: the deepest fall from an earlier high, as k / 50 ≤ ln(high / low) < (k + 1) / 50. */
  readonly drawdown: SparseCounts;
  /** Bin k: the longest time below an earlier high was k months. */
  readonly underwater: SparseCounts;
};

export type State = {
  path: number;
  random: [number, number, number, number];
  growth: number[];
  drawdown: number[];
  underwater: number[];
};

export type Task = { readonly state?: State | null };
export type Step = { state: State; progress: number };
export type Run = (input: Input, task: Task) => Generator<Step, Result, void>;

/** The self-contained module that is sent. A function travels by its source, as the JavaScript
 * engine has it (without types); it may refer to nothing but the other functions of this list. */
export function programSource(history: History): string {
  const functions = [marketRisk, freshState, simulate, circular, seeded, sparse];
  return [
    `const history = ${JSON.stringify(history)};`,
    'export default function* run(input, task) {\n' +
      '  return yield* marketRisk(history, input, task);\n}',
    ...functions.map(String),
    '',
  ].join('\n\n');
}

export function* marketRisk(
  history: History,
  input: Input,
  task: Task,
): Generator<Step, Result, void> {
  const { paths, months, block } = input;
  const { source, from, to, logReturns } = history;
  const state = task.state ?? freshState(input);
  const returns = circular(logReturns, block);
  while (state.path < paths) {
    simulate(state, returns, logReturns.length, input, Math.min(state.path + 500, paths));
    yield { state, progress: state.path / paths };
  }
  return {
    history: { source, from, to, months: logReturns.length },
    months,
    block,
    paths,
    growth: sparse(state.growth, -200),
    drawdown: sparse(state.drawdown, 0),
    underwater: sparse(state.underwater, 0),
  };
}

function freshState({ seed, stream, paths, months, block }: Input): State {
  for (const count of [paths, months, block]) {
    if (!(Number.isSafeInteger(count) && count > 0)) {
      throw new RangeError('paths, months and block must be whole numbers above 0');
    }
  }
  return {
    path: 0,
    random: seeded(seed, stream),
    growth: Array.from({ length: 400 }, () => 0),
    drawdown: Array.from({ length: 200 }, () => 0),
    underwater: Array.from({ length: months + 1 }, () => 0),
  };
}

/** Simulates up to path number `until` (not included). The hot loop: it works on locals, because in
 * a sandbox every look at a global or at the state costs. One round of `sfc32` is written out in
 * it for the same reason. */
function simulate(
  state: State,
  returns: readonly number[],
  historyMonths: number,
  { months, block }: Input,
  until: number,
): void {
  const floor = Math.floor;
  const { growth, drawdown, underwater } = state;
  let [a, b, c, counter] = state.random;
  for (; state.path < until; state.path++) {
    let level = 0; // ln(value / start)
    let high = 0;
    let fall = 0;
    let below = 0; // months since the last high
    let longest = 0;
    for (let month = 0; month < months; month += block) {
      const random = (a + b + counter) | 0;
      counter = (counter + 1) | 0;
      a = b ^ (b >>> 9);
      b = (c + (c << 3)) | 0;
      c = (((c << 21) | (c >>> 11)) + random) | 0;
      // Exact in doubles. The bias, at most historyMonths / 2^32, is below 1e-7.
      const first = floor(((random >>> 0) * historyMonths) / 4294967296);
      const end = first + (month + block > months ? months - month : block);
      for (let i = first; i < end; i++) {
        level += returns[i]!;
        if (level >= high) {
          high = level;
          below = 0;
        } else {
          below++;
          if (below > longest) longest = below;
          if (high - level > fall) fall = high - level;
        }
      }
    }
    // What lies beyond e^4 = 54 times either way is counted in the outermost bin.
    const grown = floor(level * 50) + 200;
    growth[grown < 0 ? 0 : grown > 399 ? 399 : grown]!++;
    const fallen = floor(fall * 50);
    drawdown[fallen > 199 ? 199 : fallen]!++;
    underwater[longest]!++;
  }
  state.random = [a, b, c, counter];
}

/** The history, continued with its own beginning, so that every month can start a block and is
 * drawn equally often (circular block bootstrap, Politis and Romano 1992). */
function circular(returns: readonly number[], block: number): number[] {
  const length = returns.length;
  return Array.from({ length: length + block - 1 }, (_, i) => returns[i % length]!);
}

/** `sfc32` of Chris Doty-Humphrey's PractRand, seeded as there: 64 bits of seed, 12 rounds thrown
 * away. Distinct (seed, stream) are distinct starts; the counter makes every cycle ≥ 2^32 long. */
function seeded(seed: number, stream: number): [number, number, number, number] {
  let [a, b, c, counter] = [0, stream | 0, seed | 0, 1];
  for (let round = 0; round < 12; round++) {
    const random = (a + b + counter) | 0;
    counter++;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + random) | 0;
  }
  return [a, b, c, counter];
}

function sparse(counts: readonly number[], offset: number): SparseCounts {
  const first = counts.findIndex((count) => count > 0);
  const last = counts.findLastIndex((count) => count > 0);
  return { first: first + offset, counts: counts.slice(first, last + 1) };
}
