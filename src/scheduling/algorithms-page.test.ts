// Recomputes every digit of docs/reference/algorithms.md.

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type AlgorithmId, algorithmIds, criterionIds } from '../core/snapshot.ts';
import { aras, criteria, edas, entropyWeights, mabac, smoothWrr } from './index.ts';
import { createScheduler } from './registry.ts';
import type { RankedWorker } from './scheduler.ts';
import { MadeCluster, makeConfig, makeWorker, rankNow, runPass } from './testing/made-cluster.ts';

const page = readFileSync(
  new URL('../../docs/reference/algorithms.md', import.meta.url),
  'utf8',
).replaceAll('−', '-');
const weights = { cpu: 0.4, memory: 0.4, latency: 0.2 };
const types = [1, 1, -1];
const matrix = [
  [80, 8_000, 10],
  [60, 16_000, 5],
  [90, 6_000, 40],
];

test('the table of criteria is that of the code', () => {
  const rows = tablesOf('Criteria')[0]!.map(({ cells }) => cells);
  expect(rows).toEqual(
    criterionIds.map((id) => {
      const { kind, unit, meaning, rule } = criteria[id];
      return [`\`${id}\``, kind, unit, meaning, rule.replaceAll('−', '-')];
    }),
  );
});

test('the entropy weights of the example', () => {
  const [row] = tablesOf('Criteria')[1]!;
  expect(row!.cells.slice(1)).toEqual(entropyWeights(matrix).map((weight) => weight.toFixed(4)));
});

test('the matrix of the example', () => {
  const rows = tablesOf('The example')[0]!.map(({ cells }) => cells.slice(1, 4).map(Number));
  expect(rows).toEqual(matrix);
});

describe('the placements of the example', () => {
  const rows = tablesOf('The example')[1]!;

  test('are given for all nine algorithms', () => {
    expect(rows.map(({ cells }) => cells[0])).toEqual([...algorithmIds]);
  });

  test.each(rows.map(({ cells }) => cells as [AlgorithmId, string]))('%s', (algorithm, shown) => {
    const cluster = example();
    const scheduler = createScheduler(makeConfig(algorithm, weights));
    const placed = runPass(scheduler, cluster, 6).map((row) => cluster.workers[row]!.id);
    expect(placed.join(' ')).toBe(shown);
  });
});

describe.each(['wrr', 'edas', 'aras', 'mabac'] as const)(
  'the worked example of %s',
  (algorithm) => {
    test('has the digits of the explanation', () => {
      const cluster = example();
      const scheduler = createScheduler(makeConfig(algorithm, weights));
      const { workers } = rankNow(scheduler, cluster);
      const rows = tablesOf(algorithm)[0]!;
      expect(rows).toHaveLength(3);
      for (const { header, cells } of rows) {
        const worker = workers.find(({ workerId }) => workerId === cells[0])!;
        expect(cells.slice(1)).toEqual(header.slice(1).map((name) => show(worker, name)));
      }
    });
  },
);

test('the scores of the bare methods in the example of code', () => {
  const digits = (values: number[]) => values.map((value) => value.toFixed(4)).join(', ');
  expect(page).toContain(`// ${digits(edas(matrix, [0.4, 0.4, 0.2], types))}`);
  expect(page).toContain(`// ${digits(entropyWeights(matrix))}`);
  expect(page).toContain(`// ${smoothWrr([5, 1, 1], 7).join(', ')}`);
});

test('the examples of rank reversal', () => {
  const methods = { edas, aras, mabac };
  const rows = tablesOf('Rank reversal')[0]!;
  expect(rows).toHaveLength(3);
  for (const { cells } of rows) {
    const [name, json, best, leaver, next] = cells as [keyof typeof methods, ...string[]];
    const all = JSON.parse(json!) as number[][];
    const bestOf = (ids: number[]) => {
      const scores = methods[name](
        ids.map((id) => all[id]!),
        [0.5, 0.5],
        [1, -1],
      );
      return ids[scores.indexOf(Math.max(...scores))];
    };
    const ids = all.map((_, id) => id);
    expect(bestOf(ids)).toBe(Number(best));
    expect(bestOf(ids.filter((id) => id !== Number(leaver)))).toBe(Number(next));
  }
});

interface TableRow {
  readonly header: string[];
  readonly cells: string[];
}

/** The tables of the section under `## title`, subsections included, each as its rows. */
function tablesOf(title: string): TableRow[][] {
  const section = page.split(/^## /m).find((part) => part.startsWith(`${title}\n`));
  if (section === undefined) throw new Error(`the page has no section ${title}`);
  return [...section.matchAll(/(?:^\|.*\|\n)+/gm)].map(([table]) => {
    const [header = [], , ...rows] = table.trim().split('\n').map(cellsOf);
    return rows.map((cells) => ({ header, cells }));
  });
}

function cellsOf(line: string): string[] {
  return line
    .slice(1, -1)
    .split('|')
    .map((cell) => cell.trim());
}

function show(worker: RankedWorker, name: string): string {
  const criterion = worker.criteria[name as keyof RankedWorker['criteria']];
  const value = name === 'score' ? worker.score : (criterion?.contribution ?? worker.details[name]);
  return typeof value === 'number' ? value.toFixed(4) : String(value);
}

function example(): MadeCluster {
  return new MadeCluster(
    makeWorker(
      'laptop',
      { cpuLoadPercent: 20, ramAvailableMb: 8_000, networkLatencyMs: 10, smoothedTaskMs: 800 },
      { slots: 3, activeTasks: 1 },
    ),
    makeWorker(
      'desktop',
      { cpuLoadPercent: 40, ramAvailableMb: 16_000, networkLatencyMs: 5, smoothedTaskMs: 500 },
      { slots: 3 },
    ),
    makeWorker(
      'phone',
      { cpuLoadPercent: 10, ramAvailableMb: 6_000, networkLatencyMs: 40, smoothedTaskMs: null },
      { slots: 3 },
    ),
  );
}
