import { expect, test } from 'vitest';
import { changesOf } from './changes.ts';

const entry = (at: string, algorithm: string, cpu = 0.3) =>
  ({ at, algorithm, weighting: 'manual', weights: { cpu, memory: 0.7 }, by: 'ann' }) as const;

const entries = [
  entry('2026-05-04T09:30:00.000Z', 'edas', 0.5),
  entry('2026-05-04T09:00:00.000Z', 'edas'),
  entry('2026-05-04T08:00:00.000Z', 'fifo'),
];

test('each says what it changed, and leads to its time beside the one before it', () => {
  const [newest, middle, oldest] = changesOf(entries);
  expect(newest!.difference).toContain('CPU free');
  expect(newest!.until).toBe(null);
  expect(decodeURIComponent(newest!.evaluationPath)).toBe(
    '/evaluation?of=since-2026-05-04T09:30:00.000Z' +
      '&against=between-2026-05-04T09:00:00.000Z_2026-05-04T09:30:00.000Z',
  );
  expect(newest!.draftPath).toBe('/scheduler');
  expect(oldest!.draftPath).toBe('/scheduler?algorithm=fifo&weighting=manual&cpu=0.3&memory=0.7');
  expect(middle!.difference).toBe('edas instead of fifo');
  expect(middle!.until).toBe('2026-05-04T09:30:00.000Z');
  expect(oldest!.difference).toBe(null);
  expect(changesOf([])).toEqual([]);
});

test('before the first that is known there is an hour at most, in which there were jobs', () => {
  const against = (oldestJobAt: string | null) => {
    const { evaluationPath } = changesOf(entries, oldestJobAt).at(-1)!;
    return new URL(evaluationPath, 'http://muster.test').searchParams.get('against');
  };
  const until = '_2026-05-04T08:00:00.000Z';
  expect(against('2026-05-04T07:20:00.000Z')).toBe(`between-2026-05-04T07:20:00.000Z${until}`);
  expect(against('2026-05-01T07:00:00.000Z')).toBe(`between-2026-05-04T07:00:00.000Z${until}`);
  expect(against('2026-05-04T08:20:00.000Z')).toBe(null);
  expect(against(null)).toBe(null);
});
