import { expect, test } from 'vitest';
import { periods } from '../../parts/periods.ts';
import {
  bucketSeconds,
  nameOfSubject,
  queryOf,
  type Subject,
  subjectOf,
  textOf,
} from './subject.ts';

const at = '2026-05-04T09:30:00.000Z';
const nowMs = Date.parse('2026-05-04T10:00:00.000Z');
const subjects: readonly Subject[] = [
  { kind: 'period', period: periods[1]! },
  { kind: 'since', at },
  { kind: 'between', at, until: '2026-05-04T09:45:00.000Z' },
  { kind: 'job', id: '01a2-9df2' },
];

test.for(subjects)('$kind comes back from the address as it was', (subject) => {
  expect(subjectOf(textOf(subject))).toEqual(subject);
});

test.for([
  null,
  '',
  '2h',
  'since-yesterday',
  'job-',
  'task-7',
  `between-${at}`,
  `between-${at}_${at}`,
])('%s names nothing', (text) => {
  expect(subjectOf(text)).toBe(null);
});

test('a period is asked for by its begin, a job by its id', () => {
  expect(subjects.map((subject) => queryOf(subject, nowMs))).toEqual([
    { since: '2026-05-03T10:00:00.000Z' },
    { since: at },
    { since: at, until: '2026-05-04T09:45:00.000Z' },
    { job_id: '01a2-9df2' },
  ]);
  expect(queryOf(subjects[1]!, nowMs, 'a')).toEqual({ since: at, job_id: 'a' });
});

test('two times that meet have no step of work in both, and all that is asked for has the same ones', () => {
  const [from, meet, until] = ['09:00:05.100', '09:10:01.250', '09:20:00.000'].map(
    (time) => `2026-05-04T${time}Z`,
  );
  const first = queryOf({ kind: 'between', at: from!, until: meet! }, nowMs);
  const second = queryOf({ kind: 'between', at: meet!, until: until! }, nowMs);
  expect(first).toEqual({
    since: '2026-05-04T09:00:00.000Z',
    until: '2026-05-04T09:10:00.000Z',
  });
  expect(second.since).toBe(first.until);
  const short = queryOf({ kind: 'between', at: meet!, until: '2026-05-04T09:10:04.000Z' }, nowMs);
  expect(short.until).toBe('2026-05-04T09:10:10.000Z');
});

test('each has a name that stands behind "in"', () => {
  const how = { nameOfJob: (id: string) => `job ${id}`, nowMs };
  const [period, since, between, job] = subjects.map((subject) => nameOfSubject(subject, how));
  expect(period).toBe('the last 24 hours');
  expect(since).toMatch(/^the time since \d\d:\d\d:\d\d$/);
  expect(between).toMatch(/^the time from \d\d:\d\d:\d\d to \d\d:\d\d:\d\d$/);
  expect(job).toBe('job 01a2-9df2');
  const changes = [{ at, algorithm: 'edas' }];
  expect(nameOfSubject(subjects[1]!, { ...how, changes })).toMatch(/^the time of edas since \d/);
});

test('buckets are of a round length, and never more than can be seen', () => {
  expect([60_000, 600_000, 3_600_000, 86_400_000, 2_592_000_000].map(bucketSeconds)).toEqual([
    1, 10, 10, 300, 7_200,
  ]);
});
