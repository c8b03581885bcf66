// Every test vector of test/fixtures/mcdm-vectors, through the public door.

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { aras, edas, entropyWeights, mabac, smoothWrr } from '../index.ts';

interface Vector {
  readonly name: string;
  readonly matrix: number[][];
  readonly weights: number[];
  readonly types: number[];
  readonly optimal?: number[];
  readonly expected: { readonly scores: number[]; readonly ranking: number[] };
  readonly ties?: number[][];
  readonly tolerance: number;
  readonly published?: { readonly scores?: number[]; readonly tolerance?: number };
}

interface WrrVector {
  readonly name: string;
  readonly weights: number[];
  readonly picks: number;
  readonly smoothSequence: number[];
  readonly expected: { counts: number[]; countsPerCycle: number[]; cycle: number };
}

const methods = {
  edas: (vector: Vector) => edas(vector.matrix, vector.weights, vector.types),
  aras: (vector: Vector) => aras(vector.matrix, vector.weights, vector.types),
  mabac: (vector: Vector) => mabac(vector.matrix, vector.weights, vector.types),
  entropy: (vector: Vector) => entropyWeights(vector.matrix),
};

for (const [method, score] of Object.entries(methods)) {
  describe(`${method} vectors`, () => {
    for (const vector of read<Vector>(method)) {
      test(`reproduces ${vector.name}`, (context) => {
        if (vector.optimal !== undefined) {
          context.skip('the optimal row is given; Muster takes the best observed values');
        }
        const scores = score(vector);
        expectClose(scores, vector.expected.scores, vector.tolerance);
        expect(rankingOf(scores, vector)).toEqual(withTiesSorted(vector.expected.ranking, vector));
        const { published } = vector;
        if (published?.scores !== undefined && published.tolerance !== undefined) {
          expectClose(scores, published.scores, published.tolerance);
        }
      });
    }
  });
}

describe('smooth wrr vectors', () => {
  for (const { name, weights, picks, smoothSequence, expected } of read<WrrVector>('wrr')) {
    test(`reproduces ${name}`, () => {
      const sequence = smoothWrr(weights, picks);
      expect(countsOf(sequence, weights.length)).toEqual(expected.counts);
      for (let from = 0; from < picks; from += expected.cycle) {
        const cycle = sequence.slice(from, from + expected.cycle);
        expect(countsOf(cycle, weights.length)).toEqual(expected.countsPerCycle);
        expect(cycle).toEqual(smoothSequence);
      }
    });
  }
});

function read<T>(method: string): T[] {
  const file = new URL(`../../../test/fixtures/mcdm-vectors/${method}.json`, import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8')) as T[];
}

function expectClose(actual: number[], expected: number[], tolerance: number): void {
  expect(actual).toHaveLength(expected.length);
  actual.forEach((value, index) => {
    const distance = Math.abs(value - expected[index]!);
    expect(distance, `entry ${index}: ${value}, not ${expected[index]}`).toBeLessThanOrEqual(
      tolerance,
    );
  });
}

function rankingOf(scores: number[], vector: Vector): number[] {
  const rows = scores.map((_, row) => row).sort((a, b) => scores[b]! - scores[a]!);
  return withTiesSorted(rows, vector);
}

/** Rows of a group that ties, in ascending order, so that two rankings can be compared. */
function withTiesSorted(ranking: number[], { ties = [] }: Vector): number[] {
  const sorted = [...ranking];
  for (const group of ties) {
    const places = group.map((row) => ranking.indexOf(row)).sort((a, b) => a - b);
    const rows = [...group].sort((a, b) => a - b);
    places.forEach((place, index) => {
      sorted[place] = rows[index]!;
    });
  }
  return sorted;
}

function countsOf(sequence: number[], length: number): number[] {
  return Array.from({ length }, (_, row) => sequence.filter((pick) => pick === row).length);
}
