import { expect, test } from 'vitest';
import type { JobHead } from '../../store/cluster.ts';
import type { Counters } from '../../store/counters.ts';
import {
  countOf,
  filterOf,
  headingOf,
  holdList,
  matches,
  ordered,
  statusesOf,
} from './job-list.ts';

const none = { pending: 0, assigned: 0, running: 0, completed: 0, failed: 0, cancelled: 0 };
const job = (id: string, second: number, more: Partial<JobHead> = {}): JobHead =>
  ({
    id,
    name: `${id}-job`,
    client_id: 'noor',
    status: 'completed',
    held_since: null,
    created_at: new Date(second * 1_000).toISOString(),
    counts: none,
    ...more,
  }) as JobHead;
const ids = (jobs: readonly JobHead[]): string => jobs.map(({ id }) => id).join(' ');
const told = {
  tasks: { ...none, pending: 1_204 },
  jobs: { open: 3, pending: 1, running: 2, completed: 8, failed: 1, cancelled: 0 },
} as unknown as Counters;

test('open jobs stand first, each newest first', () => {
  const jobs = [
    job('a', 1, { status: 'running' }),
    job('b', 2),
    job('c', 3),
    job('d', 4, { status: 'pending' }),
  ];
  expect(ids(ordered(jobs))).toBe('d a c b');
});

test('new jobs push nothing: they are counted until they are asked for', () => {
  const jobs = [job('new', 9), job('a', 3), job('b', 2)];
  const list = holdList(['a', 'b'], jobs);
  expect([ids(list.rows), list.fresh]).toEqual(['a b', 1]);
  expect(ids(holdList(null, jobs).rows)).toBe('new a b');
});

test('older jobs follow, those that are gone leave, one that ended keeps its place', () => {
  const jobs = [
    job('a', 3, { status: 'completed' }),
    job('c', 1),
    job('b', 2, { status: 'running' }),
  ];
  expect(ids(holdList(['a', 'gone', 'b'], jobs).rows)).toBe('a b c');
  expect(holdList(['a', 'gone', 'b'], jobs).fresh).toBe(0);
});

test('the first jobs of an empty list are shown at once', () => {
  expect(holdList([], [job('a', 1)])).toMatchObject({ rows: [{ id: 'a' }], fresh: 0 });
});

test('a search looks at name, id and client', () => {
  const one = job('01a2', 1, { name: 'Docking', client_id: 'cron' });
  for (const text of ['dock', '1A2', 'CRO', ' ']) expect(matches(one, 'all', text)).toBe(true);
  expect(matches(one, 'all', 'frames')).toBe(false);
  expect(matches(one, 'open', 'dock')).toBe(false);
  expect(matches({ ...one, held_since: 'x' }, 'held', '')).toBe(true);
});

test('filters are those of the address, and are told to the interface in its words', () => {
  expect([filterOf('failed'), filterOf('nonsense'), filterOf(null)]).toEqual([
    'failed',
    'all',
    'all',
  ]);
  expect([statusesOf('all'), statusesOf('open'), statusesOf('failed')]).toEqual([
    undefined,
    'pending,running',
    'failed',
  ]);
});

test('counts are those of all jobs, and absent where they are not told', () => {
  expect([countOf('open', told), countOf('all', told), countOf('held', told)]).toEqual([
    3,
    12,
    null,
  ]);
  expect(countOf('open', null)).toBeNull();
});

test('the heading counts what is open and what waits', () => {
  expect(headingOf([], told)).toEqual({
    strong: 'Three jobs are open',
    rest: ', 1\u202f204 tasks wait. 1 job ended failed.',
  });
  expect(headingOf([job('a', 1)], null)).toEqual({ strong: 'No job is open', rest: ': 1 ended.' });
});
