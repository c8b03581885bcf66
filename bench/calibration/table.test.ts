import { expect, test } from 'vitest';
import { type ComparedRun, rowsOf } from './calibration.ts';
import { markdownTable, textTable } from './table.ts';

function run(
  mix: string,
  contender: string,
  seed: number,
  real: number,
  simulated: number,
): ComparedRun {
  const tasks = [1, 1, 1, 1, 1];
  const during = tasks.map(() => null);
  return {
    real: { mix, contender, seed, makespanSeconds: real, tasks, during },
    simulated: { makespanSeconds: simulated, tasks },
    inHindsight: { makespanSeconds: real, tasks },
  };
}

const rows = rowsOf([
  run('even', 'fifo', 1, 10, 10.2),
  run('few', 'fifo', 1, 4, 4),
  run('even', 'fifo', 2, 12, 11.4),
]);

test('errors are those of the means, and of the pair that is farthest off', () => {
  expect(rows).toHaveLength(2);
  expect(rows[0]).toMatchObject({
    mix: 'even',
    runs: 2,
    realMean: 11,
    realLeast: 10,
    realMost: 12,
  });
  expect(rows[0]!.simulatedMean).toBeCloseTo(10.8, 12);
  expect(rows[0]!.error).toBeCloseTo(10.8 / 11 - 1, 12);
  expect(rows[0]!.worst).toBeCloseTo(-0.05, 12);
});

test('the tables say how far off it was, with its sign', () => {
  expect(markdownTable(rows)).toBe(
    [
      '| Tasks | Algorithm | Runs | Real | Least to most | Simulated | Error | Worst run | In hindsight |',
      '|---|---|---:|---:|---:|---:|---:|---:|---:|',
      '| even | fifo | 2 | 11.00 s | 10.00 s to 12.00 s | 10.80 s | −1.8 % | −5.0 % | 0.0 % |',
      '| few | fifo | 1 | 4.00 s | 4.00 s to 4.00 s | 4.00 s | 0.0 % | 0.0 % | 0.0 % |',
      '',
    ].join('\n'),
  );
  expect(textTable(rows)).toContain('−1.8 %');
});
