import { expect, test } from 'vitest';
import type { AttemptRow, JobRow, TaskRow } from '../../store/rows.ts';
import { JobErrorReads } from './job-errors.ts';

/** A job of which so many tasks have failed, each once. `completed`: by whom, later. */
function readsOf(failed: number, mostAttempts: number, completed: readonly string[] = []) {
  const rows = Array.from({ length: failed }, (_, index) => ({
    index,
    attempt: 1,
    workerId: 'w',
    outcome: 'failed',
    errorType: 'RangeError',
    errorMessage: `row ${index}`,
  })) as AttemptRow[];
  const store: ConstructorParameters<typeof JobErrorReads>[0]['store'] = {
    findJobHead: async (id) => (id === 'job-1' ? ({ spec: { key: 1 } } as JobRow) : undefined),
    findTask: async (_key, index) => {
      const status = completed[index] === undefined ? 'failed' : 'completed';
      return { index, status, workerId: completed[index] ?? 'w' } as TaskRow;
    },
    listJobAttempts: async (_key, after, limit) => {
      const from = after === null ? 0 : after.index + 1;
      return rows.slice(from, from + limit);
    },
  };
  let turns = 0;
  const reads = new JobErrorReads({
    state: { jobs: new Map() },
    store,
    loop: { settled: () => Promise.resolve() },
    turn: async () => void turns++,
    mostAttempts,
  });
  return { reads, turns: () => turns };
}

test('reads in chunks, between which others have their turn', async () => {
  const { reads, turns } = readsOf(1_100, 10_000);
  const errors = await reads.find('job-1', 20);
  expect(errors).toMatchObject({ complete: true, attempts: 1_100 });
  expect(errors!.kinds).toMatchObject([{ message: 'row #', tasks: 1_100, examples: [0, 1, 2] }]);
  expect(turns()).toBe(4);
});

test.each([
  [599, true],
  [600, true],
  [601, false],
])('of %d attempts no more than 600 are looked at: complete is %s', async (failed, complete) => {
  const { reads } = readsOf(failed, 600);
  expect(await reads.find('job-1', 20)).toMatchObject({
    complete,
    attempts: Math.min(600, failed),
  });
});

test('who asks at the same time waits for the same reading', async () => {
  const { reads, turns } = readsOf(1_100, 10_000);
  const [one, other] = await Promise.all([reads.find('job-1', 20), reads.find('job-1', 0)]);
  expect([one!.attempts, other!.attempts, turns()]).toEqual([1_100, 1_100, 4]);
  expect(await reads.find('job-2', 20)).toBeUndefined();
});

test('of the examples it tells which another worker completed', async () => {
  const told = async (...by: readonly string[]) =>
    (await readsOf(3, 600, by).reads.find('job-1', 20))!.kinds[0]!.completed_elsewhere;
  expect(await told()).toEqual([]);
  expect(await told('w', 'other')).toEqual([1]);
});
