import { expect, test } from 'vitest';
import type { TaskWaiting } from '../../../../protocol/explanations.ts';
import {
  attentionOf,
  type Facts,
  keptAside,
  silentSeconds,
  stuckCandidates,
  withoutAside,
} from './attention.ts';
import { before, countsOf, jobOf, nowMs, workerOf } from './testing/cluster-facts.ts';

const well: Facts = {
  nowMs,
  heardToMs: nowMs,
  jobs: [jobOf()],
  workers: [workerOf()],
  waiting: new Map(),
  recent: { completed: 500, failed: 3 },
  health: { disk: { is_full: false, free_bytes: 9e9, floor_bytes: 1e9 } },
  quotas: [{ name: 'open_jobs', bound: 100, used: 3, meaning: 'Jobs that have not ended' }],
  startedAtMs: nowMs - 86_400_000,
  maySubmit: true,
};
const found = (some: Partial<Facts>) => attentionOf({ ...well, ...some });
const only = (some: Partial<Facts>) => {
  const all = found(some);
  expect(all).toHaveLength(1);
  return all[0]!;
};

test('a healthy cluster needs nobody', () => {
  expect(attentionOf(well)).toEqual([]);
});

test('work that waits while no device is here is the first thing', () => {
  const offline = workerOf({ status: 'offline', last_heartbeat: before(900) });
  expect(only({ workers: [offline] })).toMatchObject({
    title: 'No device is here',
    why: '40 tasks wait; the only device is offline.',
    wayOut: { href: '/connect' },
  });
  const out = workerOf({ status: 'draining', active_tasks: 0 });
  expect(only({ workers: [offline, out] })).toMatchObject({
    why: '40 tasks wait; all 2 devices are offline or out of service.',
    wayOut: { href: '/workers' },
  });
  expect(only({ workers: [] }).why).toMatch(/no device has ever joined/);
  expect(found({ workers: [], jobs: [] })).toEqual([]);
});

const stuckJob = jobOf({
  id: 'job-2',
  name: 'ocr',
  status: 'pending',
  counts: countsOf({ pending: 412 }),
  options: { requirements: { labels: { gpu: 'yes' } } },
});
const noEligible: TaskWaiting = {
  code: 'no_eligible_worker',
  reason: 'No worker may run it.',
  not_before: null,
  tasks_ahead: null,
  worker_count: 24,
  reasons: [{ code: 'requirement', text: 'short of a requirement', workers: 24 }],
  workers: [],
};

test('a job that no device can run says what it requires', () => {
  const waiting = new Map([['job-2', noEligible]]);
  expect(only({ jobs: [stuckJob], waiting })).toMatchObject({
    title: 'No device can run ocr',
    why: '412 tasks wait: it requires gpu=yes, which is lacking (24 of 24 devices).',
    wayOut: { href: '/jobs/job-2' },
  });
});

test('a job whose only device was drained says so, and leads to it', () => {
  const kestrel = workerOf({
    id: 'worker-9',
    name: 'kestrel',
    labels: { gpu: 'yes' },
    status: 'draining',
    draining: { since: null, deadline: null },
    active_tasks: 0,
  });
  const waiting = new Map([['job-2', noEligible]]);
  expect(only({ jobs: [stuckJob], waiting, workers: [workerOf(), kestrel] })).toMatchObject({
    title: 'No device can run ocr',
    why: '412 tasks wait: kestrel is out of service, and no other may run it. Give kestrel work again.',
    wayOut: { text: 'Look', href: '/workers/worker-9' },
  });
});

test('a job that waits behind others is no trouble', () => {
  const waiting = new Map([['job-2', { ...noEligible, code: 'queued_behind' as const }]]);
  expect(found({ jobs: [stuckJob], waiting })).toEqual([]);
});

test('only jobs that wait with nothing at work, and are not held or new, are asked about', () => {
  const asked = stuckCandidates(
    [
      stuckJob,
      { ...stuckJob, id: 'held', held_since: before(60) },
      { ...stuckJob, id: 'new', created_at: before(2) },
      { ...stuckJob, id: 'ended', status: 'completed' },
      jobOf(),
    ],
    nowMs,
  );
  expect(asked.map(({ id }) => id)).toEqual(['job-2']);
});

test('a quarantined device is told with its figures', () => {
  const worker = workerOf({ status: 'quarantined', total_failed: 8, total_completed: 0 });
  expect(only({ workers: [worker, workerOf({ id: 'b' })] })).toMatchObject({
    glyph: 'quarantined',
    title: 'atlas fails what others finish',
    why: expect.stringContaining('8 tasks failed here, 0 completed'),
    wayOut: { href: '/workers/worker-1' },
  });
});

test('a device is silent from one and a half heartbeats on, until it is offline', () => {
  const quiet = (seconds: number) => workerOf({ last_heartbeat: before(seconds) });
  expect(silentSeconds(quiet(7.5), nowMs)).toBeNull();
  expect(silentSeconds(quiet(7.6), nowMs)).toBeCloseTo(7.6);
  expect(silentSeconds({ ...quiet(60), status: 'offline' }, nowMs)).toBeNull();
  expect(only({ workers: [quiet(9)] }).why).toMatch(
    /^Nothing heard for 9\u202fs; it is lost after 15\u202fs/,
  );
});

test('many devices in the same trouble are told as one', () => {
  const workers = ['a', 'b', 'c', 'd', 'e'].map((name) =>
    workerOf({ id: name, name, last_heartbeat: before(9) }),
  );
  expect(only({ workers })).toMatchObject({
    title: '5 devices are silent',
    why: 'a, b, c and 2 more.',
    wayOut: { href: '/workers' },
  });
});

test('a device that asks to be let in, and one that refuses, are told', () => {
  const waiting = workerOf({ id: 'w', name: 'phone', status: 'waiting' });
  const refusing = workerOf({ refusing: { offers: 3, until: before(-5), reason: 'no memory' } });
  expect(found({ workers: [waiting, refusing] }).map(({ title, why }) => [title, why])).toEqual([
    ['phone asks to be let in', 'Its link asks for the consent of a person for each device.'],
    ['atlas takes no task', 'It refused 3 offers: no memory.'],
  ]);
});

const failedJob = jobOf({
  status: 'failed',
  completed_at: before(60),
  counts: countsOf({ completed: 63, failed: 37 }),
  error: 'Task 5 failed: MemoryError',
});

test('a job that failed today can be retried by those who may', () => {
  expect(only({ jobs: [failedJob] })).toMatchObject({
    title: 'docking ended with 37 failed',
    why: 'Task 5 failed: MemoryError',
    wayOut: { kind: 'retry', text: 'Retry 37', jobId: 'job-1' },
  });
  expect(only({ jobs: [failedJob], maySubmit: false }).wayOut).toMatchObject({ kind: 'link' });
});

test('what failed yesterday is no news', () => {
  expect(found({ jobs: [{ ...failedJob, completed_at: before(90_000) }] })).toEqual([]);
});

test.each([
  [95, 5, 0],
  [94, 6, 1],
  [10, 9, 0],
])(
  'of %d completed and %d failed in five minutes %d things are told',
  (completed, failed, count) => {
    expect(found({ recent: { completed, failed } })).toHaveLength(count);
  },
);

test('a disk that is nearly full is told before it is', () => {
  const disk = (free_bytes: number, is_full: boolean) => ({
    health: { disk: { is_full, free_bytes, floor_bytes: 1e9 } },
  });
  expect(only(disk(1.9e9, false)).title).toBe('The disk is nearly full');
  expect(only(disk(0.9e9, true)).title).toBe('The disk is full');
  expect(found(disk(2e9, false))).toEqual([]);
});

test('damage of the database is told with its count', () => {
  const health = { store: { damaged: 2, checked_at: before(60) } };
  expect(only({ health }).why).toMatch(/^2 values cannot be read/);
});

test('a quota of which nine tenths are used is told in its own unit', () => {
  const quotas = [{ name: 'stored_bytes', bound: 10e9, used: 9e9, meaning: 'Results' }];
  expect(only({ quotas }).why).toBe('Results: 9\u202fGB of 10\u202fGB.');
  expect(found({ quotas: [{ ...quotas[0]!, used: 8.9e9 }] })).toEqual([]);
  expect(found({ quotas: [{ ...quotas[0]!, bound: 0, used: 0 }] })).toEqual([]);
});

test('a restart is told for an hour, when jobs went on over it', () => {
  const startedAtMs = nowMs - 300_000;
  expect(only({ startedAtMs }).why).toBe('5\u202fmin ago. 1 open job went on where it was.');
  expect(found({ startedAtMs, jobs: [jobOf({ created_at: before(100) })] })).toEqual([]);
  expect(found({ startedAtMs: nowMs - 3_700_000 })).toEqual([]);
});

test('the worst comes first', () => {
  const all = found({
    startedAtMs: nowMs - 300_000,
    jobs: [jobOf(), stuckJob, { ...failedJob, id: 'f' }],
    waiting: new Map([['job-2', noEligible]]),
    workers: [workerOf(), workerOf({ id: 'q', status: 'quarantined' })],
    recent: { completed: 50, failed: 50 },
  });
  expect(all.map(({ key }) => key)).toEqual([
    'stuck job-2',
    'quarantined q',
    'failed f',
    'failures',
    'restart',
  ]);
});

test('what was put aside stays there until it changes', () => {
  const [one] = found({ jobs: [failedJob] });
  const aside = { [one!.key]: one!.state };
  expect(withoutAside([one!], aside)).toEqual([]);
  const changed = found({
    jobs: [{ ...failedJob, counts: countsOf({ completed: 60, failed: 40 }) }],
  });
  expect(withoutAside(changed, aside)).toEqual(changed);
});

test('a trouble that is over is forgotten', () => {
  const [one] = found({ jobs: [failedJob] });
  const aside = { [one!.key]: one!.state, 'quarantined gone': '3' };
  expect(keptAside([one!], aside)).toEqual({ [one!.key]: one!.state });
});
