import { expect, test } from 'vitest';
import type { AttemptOfHistory } from '../../../../protocol/evaluation.ts';
import { heatStrips, meanShare, runsOf } from './heat-strip.ts';
import { colourJobs, jobsInView } from './job-colours.ts';
import { fewRows, timelineGroups, undrawnSpan } from './timeline-rows.ts';

const iso = (ms: number): string => new Date(ms).toISOString();
const attempt = (
  worker: string,
  slot: number | null,
  [from, to]: readonly [number, number | null],
  more: Partial<AttemptOfHistory> = {},
): AttemptOfHistory => ({
  job_id: 'j',
  task_id: `j.${from}`,
  index: from,
  attempt: 1,
  worker_id: worker,
  slot,
  status: to === null ? 'running' : 'completed',
  assigned_at: iso(from),
  started_at: iso(from),
  ended_at: to === null ? null : iso(to),
  progress: 1,
  resumed_from_progress: null,
  resumed_from_attempt: null,
  checkpoints: 0,
  error_type: null,
  ...more,
});
const groupsOf = (attempts: readonly AttemptOfHistory[], span = { from: 0, to: 1_000 }) =>
  timelineGroups(
    {
      attempts,
      nameOfWorker: (id) => `device ${id}`,
      nameOfJob: (id) => `job ${id}`,
      colourOf: () => 'c1',
    },
    { span, nowMs: 1_000 },
  );

test('devices are by name, their slots below each other, bars in order of time', () => {
  const groups = groupsOf([
    attempt('10', 0, [0, 100]),
    attempt('2', 1, [300, 400]),
    attempt('2', 0, [500, null]),
    attempt('2', 0, [100, 200]),
  ]);
  expect(
    groups.map(({ name, rows }) => [name, rows.map(({ bars }) => bars.map(({ from }) => from))]),
  ).toEqual([
    ['device 2', [[100, 500], [300]]],
    ['device 10', [[0]]],
  ]);
  expect(groups[0]!.rows[0]!.bars[1]!.to).toBe(null);
});

test('what is left out ended before all that is here', () => {
  const attempts = [
    attempt('1', 0, [0, null]),
    attempt('1', 1, [100, 900]),
    attempt('2', 0, [300, 700]),
  ];
  const history = { kept_since: iso(200), attempts, left_out: 5 };
  expect(undrawnSpan(history)).toEqual({ from: 200, to: 700 });
  expect(undrawnSpan({ ...history, kept_since: iso(800) })).toEqual({ from: 700, to: 700 });
  expect(undrawnSpan({ ...history, left_out: 0 })).toBeNull();
  expect(undrawnSpan({ ...history, attempts: attempts.slice(0, 1) })).toBeNull();
});

test('what never began takes no slot, and what no slot is known of lies beside each other', () => {
  const [group] = groupsOf([
    attempt('1', null, [0, null], { started_at: null, status: 'assigned' }),
    attempt('1', null, [100, 300]),
    attempt('1', null, [200, 400]),
    attempt('1', null, [300, 500]),
  ]);
  expect(group!.rows.map(({ bars }) => bars.map(({ from }) => from))).toEqual([[100, 300], [200]]);
});

test('what is not in the span is left out', () => {
  expect(groupsOf([attempt('1', 0, [0, 100])], { from: 200, to: 1_000 })).toEqual([]);
});

test('a bar says what came of the attempt', () => {
  const [group] = groupsOf([
    attempt('1', 0, [0, 500], { status: 'timed_out', error_type: 'attempt_timeout' }),
  ]);
  const [bar] = group!.rows[0]!.bars;
  expect(bar).toMatchObject({ kind: 'failed', colour: 'c1', href: '/jobs/j/tasks/0' });
  expect(bar!.told.replaceAll('\u202f', ' ')).toContain(
    'job j, task 0, attempt 1: passed its time limit with attempt_timeout after 500 ms, since ',
  );
});

test('a strip has the share of the slots that was busy in each bucket', () => {
  const groups = groupsOf([
    attempt('1', 0, [0, 500]),
    attempt('1', 1, [250, null]),
    attempt('2', 0, [900, 950]),
  ]);
  const strips = heatStrips(groups, { span: { from: 0, to: 1_000 }, nowMs: 1_000, buckets: 4 });
  expect(strips.map(({ shares }) => shares)).toEqual([
    [0.5, 1, 0.5, 0.5],
    [0, 0, 0, 0.2],
  ]);
  expect(meanShare(strips)).toBeCloseTo(2.7 / 8);
  expect(meanShare([])).toBe(null);
});

test('neighbours of about the same share are one run, and what was free is none', () => {
  expect(runsOf([0, 0.24, 0.25, 0.5, 0, 0, 1], 4)).toEqual([
    { from: 1, to: 3, share: 0.25 },
    { from: 3, to: 4, share: 0.5 },
    { from: 6, to: 7, share: 1 },
  ]);
  expect(runsOf([1, 1], 4)).toEqual([{ from: 0, to: 2, share: 1 }]);
  expect(runsOf([0.01], 4)).toEqual([{ from: 0, to: 1, share: 0.25 }]);
  expect(runsOf([], 4)).toEqual([]);
});

test('a job keeps its colour, and those that find none left get none', () => {
  const first = colourJobs(new Map(), ['a', 'b']);
  expect([...first]).toEqual([
    ['a', 'c1'],
    ['b', 'c2'],
  ]);
  const second = colourJobs(first, ['new', 'b']);
  expect([second.get('new'), second.get('b'), second.get('a')]).toEqual(['c3', 'c2', 'c1']);
  const many = colourJobs(
    second,
    Array.from({ length: 20 }, (_, place) => `job ${place}`),
  );
  expect(many.size).toBe(8);
});

test('a name stands where it has room, and where there is more than one job', () => {
  const labels = (attempts: readonly AttemptOfHistory[]) =>
    groupsOf(attempts).flatMap(({ rows }) =>
      rows.flatMap(({ bars }) => bars.map(({ label }) => label)),
    );
  const attempts = [attempt('1', 0, [0, 500]), attempt('1', 0, [600, 610])];
  expect(labels(attempts)).toEqual([undefined, undefined]);
  const other = attempt('1', 1, [0, null], { job_id: 'k', task_id: 'k.0' });
  expect(labels([...attempts, other])).toEqual(['job j', undefined, 'job k']);
});

test('where there is little room each device has its first slots, and the rest is counted', () => {
  const groups = groupsOf([
    attempt('1', 0, [0, 100]),
    attempt('1', 1, [0, 100]),
    attempt('1', 2, [0, 100]),
    attempt('2', 0, [0, 100]),
  ]);
  const shown = (most: number) =>
    fewRows(groups, most).map(({ rows, more }) => [rows.length, more]);
  expect(shown(4)).toEqual([
    [2, 1],
    [1, 0],
  ]);
  expect(shown(1)).toEqual([
    [1, 2],
    [1, 0],
  ]);
});

test('jobs in view stand in the order in which they were submitted', () => {
  const of = (job: string) => ({ job_id: job });
  const jobs = [
    { id: 'b', created_at: '2026-05-04T09:00:00.000Z' },
    { id: 'a', created_at: '2026-05-04T10:00:00.000Z' },
  ];
  expect(jobsInView([of('a'), of('b'), of('a')], jobs)).toEqual([
    { id: 'b', attempts: 1 },
    { id: 'a', attempts: 2 },
  ]);
});
