// What is told of a ranking in bytes is what is told of its workers one by one, whatever was told before.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type AlgorithmId, algorithmIds, criterionIds } from '../../core/snapshot.ts';
import type { Hindrance } from '../../protocol/hindrances.ts';
import { createScheduler } from '../../scheduling/registry.ts';
import {
  MadeCluster,
  makeConfig,
  makeWorker,
  silent,
} from '../../scheduling/testing/made-cluster.ts';
import type { TabledRanking } from '../../scheduling/scheduler.ts';
import { RankingBytes, rankedWorker } from './ranking-bytes.ts';

const some = (max: number) => fc.option(fc.integer({ min: 0, max }), { freq: 3 });

const reading = fc.record({
  cpuLoadPercent: some(100),
  ramAvailableMb: fc.oneof(some(3), fc.double({ min: 0, max: 1e21, noNaN: true })),
  networkLatencyMs: some(300),
  networkBandwidthMbps: some(2),
  batteryLevelPercent: fc.constant(70),
  completed: fc.nat(3),
  failed: fc.nat(1),
  busySeconds: fc.double({ min: 0, max: 9, noNaN: true }),
});

const change = fc.record({
  row: fc.nat(20),
  said: reading,
  pieceBytes: fc.constantFrom(1, 700, 1 << 20),
  isPlacing: fc.boolean(),
  reason: fc.constantFrom('full', 'does not speak "日本語"', ''),
});

const allWeights = Object.fromEntries(criterionIds.map((id, place) => [id, place % 4]));

function expected(
  { workers }: TabledRanking,
  selected: number,
  reasonsOf: (row: number) => readonly Hindrance[],
): string {
  return JSON.stringify(
    workers.map((worker) => {
      const isSelected = worker.row === selected;
      return rankedWorker(
        worker,
        isSelected,
        worker.eligible || isSelected ? [] : reasonsOf(worker.row),
      );
    }),
  );
}

function told(pieces: Iterable<Uint8Array>): string {
  return Buffer.concat([...pieces]).toString();
}

describe.each(algorithmIds)('the bytes of a ranking of %s', (algorithm: AlgorithmId) => {
  test('say what its workers say, after each change and when nothing has changed', () => {
    fc.assert(
      fc.property(
        fc.array(reading, { minLength: 1, maxLength: 20 }),
        fc.array(change, { minLength: 1, maxLength: 12 }),
        (given, changes) => {
          const made = new MadeCluster(
            ...given.map((said, i) => makeWorker(`w${i}`, { ...silent, ...said }, { slots: 2 })),
          );
          const scheduler = createScheduler(makeConfig(algorithm, { ...allWeights, cpu: 1 }));
          const rankings = new RankingBytes({ tellsCriteria: true });
          for (const { row: any, said, pieceBytes, isPlacing, reason } of changes) {
            const row = any % given.length;
            if (isPlacing) made.place(row);
            else made.heartbeat(row, said);
            made.version++;
            scheduler.begin(made);
            const ranking = scheduler.rank(made.eligible);
            const reasonsOf = (of: number): readonly Hindrance[] =>
              of % 2 === 0 ? [{ code: 'no_free_slot', text: `${reason}${of % 3}` }] : [];
            const look = { ranking, selected: ranking.selected, reasonsOf };
            const whole = expected(ranking, ranking.selected, reasonsOf);
            expect(told(rankings.take(look, pieceBytes).pieces())).toBe(whole);
            expect(told(rankings.take(look, pieceBytes).pieces())).toBe(whole);
            const another = { ...look, selected: -1 };
            expect(told(rankings.take(another, pieceBytes).pieces())).toBe(
              expected(ranking, -1, reasonsOf),
            );
          }
        },
      ),
      { numRuns: 60, seed: 5 },
    );
  });
});

test('of a ranking without workers there is an empty array', () => {
  const scheduler = createScheduler(makeConfig('edas'));
  const made = new MadeCluster();
  scheduler.begin(made);
  const look = { ranking: scheduler.rank(made.eligible), selected: -1, reasonsOf: () => [] };
  expect(told(new RankingBytes({ tellsCriteria: true }).take(look, 99).pieces())).toBe('[]');
});

test('what was told is not made again while nothing is decided, and pieces stay as they are', () => {
  const scheduler = createScheduler(makeConfig('edas'));
  const made = new MadeCluster(makeWorker('a'), makeWorker('b', { cpuLoadPercent: 90 }));
  const rankings = new RankingBytes({ tellsCriteria: true });
  const take = () => {
    scheduler.begin(made);
    const ranking = scheduler.rank(made.eligible);
    return { ranking, selected: ranking.selected, reasonsOf: () => [] };
  };
  const look = take();
  const first = [...rankings.take(look, 1).pieces()];
  const text = told(first);
  const again = [...rankings.take(look, 1).pieces()];
  expect(again).toHaveLength(2);
  again.forEach((piece, at) => expect(piece).toBe(first[at]));
  made.heartbeat(0, { cpuLoadPercent: 99 });
  made.version++;
  expect(told(rankings.take(take(), 1).pieces())).not.toBe(text);
  expect(told(first)).toBe(text);
});
