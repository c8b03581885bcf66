import { expect, test } from 'vitest';
import { comparedJob, comparisonOf, openIn, type SharedJobs } from './shared-jobs.ts';

const at = (second: number): string => new Date(second * 1000).toISOString();
const head = (id: string, begun: number, ended: number | null, completed = 9, name = id) => ({
  id,
  name,
  created_at: at(begun),
  completed_at: ended === null ? null : at(ended),
  counts: { completed },
});
const span = (from: number, until: number) => ({ from: from * 1000, until: until * 1000 });

test('a job is in both times when it was open in both, and had work done', () => {
  const heads = [
    head('small', 0, null, 10),
    head('large', 5, 160, 500),
    head('idle', 0, null, 0),
    head('earlier', 0, 90),
    head('later', 110, null),
    head('elsewhere', 300, null),
    head('trial', 0, 90, 1, 'large (try)'),
  ];
  const { both, alone } = openIn(heads, span(100, 200), span(0, 100));
  expect(both.map(({ id }) => id)).toEqual(['large', 'small']);
  expect(alone.map(({ id }) => id)).toEqual(['earlier', 'later']);
});

const jobs = (
  both: Readonly<Record<string, number>>,
  alone: readonly string[] = [],
  isPart = false,
): SharedJobs => ({
  both: Object.entries(both).map(([id, least]) => ({ id, least })),
  alone,
  isPart,
});

test('without a choice the job with most of the work is compared, or one where others differ', () => {
  expect(comparedJob(jobs({ a: 90, b: 10 }), null)).toBe('a');
  expect(comparedJob(jobs({ a: 40, b: 35, c: 30 }), null)).toBe(null);
  expect(comparedJob(jobs({ a: 40, b: 35, c: 30 }, ['d']), null)).toBe('a');
  expect(comparedJob(jobs({ a: 90, b: 10 }), 'b')).toBe('b');
  expect(comparedJob(jobs({ a: 90, b: 10 }), 'all')).toBe(null);
  expect(comparedJob(jobs({ a: 90 }), 'gone')).toBe('a');
  expect(comparedJob(jobs({}, ['a']), null)).toBe(null);
});

test('what is left out is named, and nothing is judged where the jobs differ', () => {
  const told = (shared: SharedJobs, job: string | null) =>
    comparisonOf(shared, job, (id) => id.toUpperCase());
  expect(told(jobs({ a: 9 }), null)).toEqual({
    job: null,
    note: null,
    isTold: true,
    isJudged: true,
  });
  expect(told(jobs({ a: 9, e: 2 }, ['b', 'c']), 'a')).toEqual({
    job: 'A',
    note: 'Of A alone, which ran in both. B and C ran in one of the times only. E ran in both, too.',
    isTold: true,
    isJudged: true,
  });
  const all = told(jobs({ a: 9 }, ['b', 'c', 'd', 'e', 'f']), null);
  expect(all.note).toMatch(/^Not the same jobs ran in both. B, C, D and two others ran in one/);
  expect([all.isTold, all.isJudged]).toEqual([true, false]);
  const none = told(jobs({}, ['a']), null);
  expect(none.note).toBe('Not comparable: no job ran in both. A ran in one of the times only.');
  expect(none.isTold).toBe(false);
  expect(told(jobs({}, [], true), null).note).toContain('no job is known');
});
