// Which jobs were removed, in a line for many.

import { expect, onTestFinished, test, vi } from 'vitest';
import type { ToldAs } from '../../core/told-events.ts';
import { RemovalLog } from './removal-log.ts';

test('jobs that go within some seconds are one line, and those that a client deleted another', () => {
  const { log, lines, removed, pass } = capture();
  for (let i = 0; i < 5; i++) log.add(removed(`e${i}`, 'expired'));
  log.add(removed('a0', 'asked'));
  expect(lines).toEqual([]);
  pass();
  expect(lines).toEqual([
    [
      { because: 'expired', jobs: 5, job_ids: ['e0', 'e1', 'e2', 'e3', 'e4'] },
      '5 jobs were removed by the rules of what is kept (retain_seconds, --keep-days, --keep-jobs): ' +
        'e0, e1, e2 and 2 others.',
    ],
    [{ because: 'asked', jobs: 1, job_ids: ['a0'] }, 'Job a0 was deleted, as a client asked.'],
  ]);
  pass();
  log.add(removed('a1', 'asked'));
  pass();
  expect(lines).toHaveLength(3);
});

test('at the end is told what was gathered until then, once', () => {
  const { log, lines, removed, pass } = capture();
  for (let i = 0; i < 1_000; i++) log.add(removed(`j${i}`, 'asked'));
  log.flush();
  pass();
  const [[fields, sentence] = [{ job_ids: [] }, ''], ...more] = lines;
  expect(sentence).toMatch(
    /^1 000 jobs were deleted, as a client asked: j0, j1, j2 and 997 others\.$/,
  );
  expect(fields.job_ids).toHaveLength(100);
  expect(fields).toMatchObject({ jobs: 1_000, job_ids_left_out: 900 });
  expect(more).toEqual([]);
});

function capture() {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const lines: [{ job_ids: string[] }, string][] = [];
  const info = (fields: unknown, sentence: unknown) => void lines.push([fields, sentence] as never);
  const removed = (id: string, because: 'asked' | 'expired') =>
    ({ type: 'job_deleted', job: { spec: { id } }, because, at: 0 }) as ToldAs<'job_deleted'>;
  const log = new RemovalLog({ info } as never);
  return { log, lines, removed, pass: () => void vi.advanceTimersByTime(5_000) };
}
