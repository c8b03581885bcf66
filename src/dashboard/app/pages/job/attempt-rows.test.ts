import { expect, test } from 'vitest';
import type { AttemptOfHistory as Attempt } from '../../../../protocol/evaluation.ts';
import type { CheckpointRecord, RecoveryEvent } from '../../../../protocol/resources.ts';
import { type AttemptSources, attemptPicture, wholeSince } from './attempt-rows.ts';

const second = (value: number): string => new Date(1_000 * value).toISOString();
const attempt = (more: Partial<Attempt>): Attempt => ({
  job_id: 'job',
  task_id: 'task',
  index: 7,
  attempt: 1,
  worker_id: 'lagoon',
  slot: 0,
  status: 'completed',
  assigned_at: second(0),
  started_at: second(0),
  ended_at: second(10),
  progress: 0,
  resumed_from_progress: null,
  resumed_from_attempt: null,
  checkpoints: 0,
  error_type: null,
  ...more,
});
const sources = (
  attempts: readonly Attempt[],
  more: Partial<AttemptSources> = {},
): AttemptSources => ({
  attempts,
  checkpoints: [],
  recoveries: [],
  nameOfWorker: (id) => id,
  pathOf: ({ index }) => `/task/${index}`,
  ...more,
});
const view = { span: { from: 0, to: 100_000 }, nowMs: 100_000, mostGroups: 12, mostSlots: 3 };
const checkpoint = (at: number, progress: number) =>
  ({ task_index: 7, attempt: 1, created_at: second(at), progress }) as CheckpointRecord;
const lost = attempt({ status: 'lost', ended_at: second(20) });
const next = attempt({
  attempt: 2,
  worker_id: 'atlas',
  status: 'running',
  started_at: second(30),
  ended_at: null,
  progress: 0.7,
  resumed_from_progress: 0.62,
  resumed_from_attempt: 1,
});

test('busiest devices stand first, and the rest is counted', () => {
  const attempts = [
    attempt({ worker_id: 'slow', ended_at: second(5) }),
    attempt({ worker_id: 'busy', ended_at: second(50), index: 8 }),
    attempt({ worker_id: 'old', started_at: second(-90), ended_at: second(-80), index: 9 }),
  ];
  const { groups, hidden } = attemptPicture(sources(attempts), { ...view, mostGroups: 1 });
  expect(groups.map(({ id }) => id)).toEqual(['busy']);
  expect(hidden).toBe(1);
});

test('a device on which something failed is not hidden behind busier ones', () => {
  const attempts = [
    attempt({ worker_id: 'busy', ended_at: second(50), index: 8 }),
    attempt({ worker_id: 'fails', ended_at: second(1), status: 'failed' }),
  ];
  const { groups, hidden } = attemptPicture(sources(attempts), { ...view, mostGroups: 1 });
  expect(groups.map(({ id }) => id)).toEqual(['fails']);
  expect(hidden).toBe(1);
});

test('devices keep their places whichever is busier at the moment', () => {
  const order = (atlas: number, borealis: number, fails: number) =>
    attemptPicture(
      sources([
        attempt({ worker_id: 'borealis', ended_at: second(borealis), index: 8 }),
        attempt({ worker_id: 'zinc', ended_at: second(fails), status: 'failed', index: 9 }),
        attempt({ worker_id: 'atlas', ended_at: second(atlas) }),
      ]),
      view,
    ).groups.map(({ id }) => id);
  expect(order(20, 30, 1)).toEqual(['zinc', 'atlas', 'borealis']);
  expect(order(30, 20, 40)).toEqual(['zinc', 'atlas', 'borealis']);
});

test('each slot is a row, what has not begun stands in the last', () => {
  const attempts = [
    attempt({ slot: null, status: 'assigned', started_at: null, ended_at: null, index: 1 }),
    attempt({ slot: 1, index: 2 }),
    attempt({ slot: 0, index: 3, started_at: second(12), ended_at: second(15) }),
    attempt({ slot: 0, index: 4 }),
  ];
  const [group] = attemptPicture(sources(attempts), view).groups;
  expect(group!.rows.map(({ id }) => id)).toEqual(['lagoon 0', 'lagoon 1', 'lagoon -1']);
  expect(group!.rows[0]!.bars.map(({ id }) => id)).toEqual(['4 1', '3 1']);
});

test('an arrow leads from the checkpoint that was used to the attempt that went on', () => {
  const checkpoints = [checkpoint(5, 0.3), checkpoint(15, 0.62), checkpoint(18, 0.8)];
  const { arrows } = attemptPicture(sources([lost, next], { checkpoints }), view);
  expect(arrows).toEqual([
    {
      id: '7 2',
      from: { row: 'lagoon 0', at: 15_000 },
      to: { row: 'atlas 0', at: 30_000 },
      label: 'from 62\u202f%',
      isHollow: false,
    },
  ]);
});

test('what had to begin anew has a hollow arrow from where it was lost', () => {
  const anew = { ...next, resumed_from_progress: null, resumed_from_attempt: null };
  const [arrow] = attemptPicture(sources([lost, anew]), view).arrows;
  expect(arrow).toMatchObject({ label: 'from the start', isHollow: true, from: { at: 20_000 } });
});

test('a retry after an error of its own has no arrow', () => {
  const failed = attempt({ status: 'failed', error_type: 'TypeError', ended_at: second(20) });
  const again = { ...next, resumed_from_progress: null, resumed_from_attempt: null };
  expect(attemptPicture(sources([failed, again]), view).arrows).toEqual([]);
});

test('what was refused took no time, and is not drawn', () => {
  expect(attemptPicture(sources([attempt({ status: 'refused' })]), view).groups).toEqual([]);
});

test('a bar says what it is', () => {
  const failed = attempt({ status: 'failed', error_type: 'TypeError' });
  const [group] = attemptPicture(sources([failed]), view).groups;
  const [bar] = group!.rows[0]!.bars;
  expect(bar).toMatchObject({ kind: 'failed', href: '/task/7' });
  expect(bar!.told).toMatch(/^Task 7, attempt 1: failed with TypeError after 10\u202fs, since /);
});

test('a lost device has the moment beside its rows', () => {
  const recoveries = [
    { from_worker_id: 'lagoon', reason: 'worker_lost', lost_at: second(20) } as RecoveryEvent,
  ];
  const [group] = attemptPicture(sources([lost], { recoveries }), view).groups;
  expect(group!.note).toMatchObject({ at: 20_000, kind: 'failed' });
});

test('of a device with many slots those are shown that have something to tell', () => {
  const attempts = Array.from({ length: 8 }, (_, slot) =>
    attempt({ slot, index: slot, status: slot === 6 ? 'failed' : 'completed' }),
  );
  const [group] = attemptPicture(sources(attempts), view).groups;
  expect(group!.rows.map(({ id }) => id)).toEqual(['lagoon 0', 'lagoon 1', 'lagoon 6']);
  expect(group!.more).toBe(5);
});

test('where attempts were left out the picture begins with the oldest end that is there', () => {
  const attempts = [attempt({ ended_at: null }), attempt({ ended_at: second(50) }), attempt({})];
  const history = { kept_since: second(5), attempts };
  expect(wholeSince({ ...history, left_out: 0 })).toBe(5_000);
  expect(wholeSince({ ...history, left_out: 3 })).toBe(10_000);
  expect(wholeSince(null)).toBe(Number.NEGATIVE_INFINITY);
});
