import { expect, test } from 'vitest';
import { readResults } from './report.ts';

const done = (index: number) => ({
  index,
  task_id: `t${index}`,
  status: 'completed',
  value: index * 10,
});

test('results come in index order, from an array as from lines', () => {
  const results = [done(2), done(0), done(1)];
  expect(readResults(JSON.stringify(results))).toEqual([0, 10, 20]);
  expect(readResults(results.map((each) => `${JSON.stringify(each)}\n`).join(''))).toEqual([
    0, 10, 20,
  ]);
});

test('a task without a result is named', () => {
  expect(() => readResults(JSON.stringify([done(0), done(2)]))).toThrow('task 1 is missing');
  const failed = { index: 1, status: 'failed', error: { type: 'Error', message: 'no' } };
  expect(() => readResults(JSON.stringify([done(0), failed]))).toThrow('Task 1 is failed');
});
