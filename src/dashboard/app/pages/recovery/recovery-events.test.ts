import { expect, test } from 'vitest';
import type { RecoveryEvent } from '../../../../protocol/resources.ts';
import {
  filtered,
  lengthsOf,
  longestOf,
  lostWords,
  outcomeSentence,
  pauseSeconds,
  reasonCounts,
  sumsOf,
  told,
  wentOnWords,
  workWords,
} from './recovery-events.ts';

const event = (more: Partial<RecoveryEvent> = {}): RecoveryEvent => ({
  id: '1',
  job_id: 'j',
  task_id: 'j.7',
  task_index: 7,
  from_worker_id: 'lagoon',
  to_worker_id: 'atlas',
  reason: 'worker_lost',
  attempt: 1,
  next_attempt: 2,
  checkpoint_id: 'j.7.2',
  resumed_from_progress: 0.62,
  lost_at: '2026-05-04T09:30:00.000Z',
  resumed_at: '2026-05-04T09:30:01.500Z',
  work_saved_seconds: 12,
  time_lost_seconds: 3,
  outcome: 'resumed',
  ...more,
});
const restarted = event({
  id: '2',
  job_id: 'k',
  from_worker_id: 'ember',
  reason: 'worker_drained',
  outcome: 'restarted',
  resumed_from_progress: null,
  work_saved_seconds: 0,
  time_lost_seconds: 5,
});
const waiting = event({
  id: '3',
  lost_at: '2026-05-04T10:30:00.000Z',
  outcome: 'requeued',
  to_worker_id: null,
  resumed_at: null,
  work_saved_seconds: 0,
  time_lost_seconds: 0.5,
});
const events = [event(), restarted, waiting];
const plain = (text: string): string => text.replaceAll('\u202f', ' ');
const nameOf = (id: string): string => id;

test('what is saved and repeated are the sums of the events', () => {
  const sums = sumsOf(events);
  expect(sums).toEqual({
    events: 3,
    savedSeconds: 12,
    repeatedSeconds: 8.5,
    wentOn: 1,
    restarted: 1,
    waiting: 1,
    failed: 0,
    devices: 2,
  });
  expect(lostWords(sums)).toBe('3 attempts on two devices');
  expect(outcomeSentence(sums)).toBe(
    '1 task went on from a checkpoint or where it was; 1 task began anew; 1 task still waits for a device.',
  );
  expect(outcomeSentence(sumsOf([]))).toBe('');
});

test('they are told apart by reason, job and time', () => {
  const all = { reason: null, jobId: null, sinceMs: null };
  const ids = (filter: object) => filtered(events, { ...all, ...filter }).map(({ id }) => id);
  expect(ids({})).toEqual(['1', '2', '3']);
  expect(ids({ reason: 'worker_lost' })).toEqual(['1', '3']);
  expect(ids({ jobId: 'k' })).toEqual(['2']);
  expect(ids({ sinceMs: Date.parse('2026-05-04T10:00:00.000Z') })).toEqual(['3']);
  expect(reasonCounts(events)).toEqual([
    ['worker_lost', 2],
    ['worker_drained', 1],
  ]);
});

test('where a task went on is told by what became of it', () => {
  const words = (more: Partial<RecoveryEvent>) => {
    const { from, to } = wentOnWords(event(more), nameOf);
    return [plain(from), to];
  };
  expect(words({})).toEqual(['from 62 %', 'atlas']);
  expect(words({ resumed_from_progress: null, outcome: 'restarted' })).toEqual([
    'from the start',
    'atlas',
  ]);
  expect(words({ outcome: 'adopted' })).toEqual(['where it was', 'atlas']);
  expect(words({ outcome: 'requeued', to_worker_id: null })).toEqual(['waits for a device', null]);
  expect(words({ outcome: 'failed', to_worker_id: null })).toEqual(['no attempt was left', null]);
  expect(plain(told(event(), nameOf))).toBe(
    'Lost on lagoon: 12 s saved, 3 s to be repeated; from 62 %, on atlas.',
  );
});

test('all rows have one scale', () => {
  const most = longestOf(events);
  expect(most).toBe(15);
  expect(lengthsOf(event(), most)).toEqual({ saved: 0.8, repeated: 0.2 });
  expect(lengthsOf(restarted, most)).toEqual({ saved: 0, repeated: 5 / 15 });
  expect(lengthsOf(event(), 0)).toEqual({ saved: 0, repeated: 0 });
});

test('a pause ends with the next start', () => {
  expect(events.map(pauseSeconds)).toEqual([1.5, 1.5, null]);
});

test('no work is 0 s, not a thousandth of one', () => {
  expect([0, 0.25, 12].map((seconds) => plain(workWords(seconds)))).toEqual([
    '0 s',
    '250 ms',
    '12 s',
  ]);
});
