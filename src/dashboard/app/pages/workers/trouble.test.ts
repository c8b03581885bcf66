import { describe, expect, test } from 'vitest';
import { aWorker, before, nowMs } from './testing.ts';
import { outcomesOf, remarkOf, silenceSeconds, troubleOf } from './trouble.ts';

const well = { completed: 1_000, failed: 10 };

describe('trouble', () => {
  test('a worker that does what others do has none', () => {
    const worker = aWorker({ total_completed: 100, total_failed: 2 });
    expect(troubleOf(worker, well, nowMs)).toBeNull();
  });

  test('one that waits asks to be let in, whatever its state says', () => {
    const worker = aWorker({ status: 'offline', waits_until: before(-60) });
    expect(troubleOf(worker, well, nowMs)).toEqual({ kind: 'waiting', text: 'asks to be let in' });
  });

  test('a quarantine is told before a silence', () => {
    const worker = aWorker({ status: 'quarantined', last_heartbeat: before(14) });
    expect(troubleOf(worker, well, nowMs)?.kind).toBe('quarantined');
  });

  test('silence is told from one and a half heartbeats on, which is half a lease', () => {
    expect(silenceSeconds(aWorker({ last_heartbeat: before(7.5) }), nowMs)).toBeNull();
    expect(silenceSeconds(aWorker({ last_heartbeat: before(9) }), nowMs)).toBe(9);
    expect(troubleOf(aWorker({ last_heartbeat: before(9) }), well, nowMs)?.text).toBe(
      'silent for 9\u202fs',
    );
  });

  test('one that is away is not silent: it is away', () => {
    const worker = aWorker({ status: 'offline', last_heartbeat: before(900) });
    expect(troubleOf(worker, well, nowMs)).toBeNull();
  });

  test('one that gives tasks back is told with how many', () => {
    const refusing = { offers: 3, until: before(-20), reason: null };
    expect(troubleOf(aWorker({ refusing }), well, nowMs)?.text).toBe('gave back 3 tasks in a row');
  });

  test('one that fails far more than the others is told with both shares', () => {
    const bad = aWorker({ total_completed: 40, total_failed: 10 });
    const all = outcomesOf([bad, aWorker({ total_completed: 990, total_failed: 10 })]);
    expect(troubleOf(bad, all, nowMs)).toEqual({
      kind: 'failing',
      text: 'fails 20.0\u202f%, the others 1.0\u202f%',
    });
  });

  test('what fails everywhere is the fault of no device', () => {
    const worker = aWorker({ total_completed: 40, total_failed: 10 });
    const all = outcomesOf([worker, aWorker({ total_completed: 80, total_failed: 20 })]);
    expect(troubleOf(worker, all, nowMs)).toBeNull();
  });

  test('a worker that is alone is not compared with anybody', () => {
    const worker = aWorker({ total_completed: 5, total_failed: 5 });
    expect(troubleOf(worker, outcomesOf([worker]), nowMs)).toBeNull();
  });
});

describe('remarks', () => {
  const none = outcomesOf([]);

  test('a rest is a remark, in words', () => {
    expect(remarkOf(aWorker({ rests_because: 'charging' }), none)).toBe(
      'rests: only while charging',
    );
  });

  test('a drain tells what is left', () => {
    const draining = { since: before(5), deadline: null };
    expect(remarkOf(aWorker({ draining, active_tasks: 5 }), none)).toBe(
      '5 tasks left, then out of service',
    );
    expect(remarkOf(aWorker({ draining }), none)).toBe('given nothing');
  });

  test('one that was taken out for its failures keeps them', () => {
    const draining = { since: before(5), deadline: null };
    const all = { completed: 990, failed: 11 };
    expect(remarkOf(aWorker({ draining, total_failed: 10 }), all)).toBe(
      'fails 100\u202f%, the others 0.1\u202f%',
    );
  });

  test('of one that is away an old word says nothing', () => {
    expect(remarkOf(aWorker({ status: 'offline', rests_because: 'battery' }), none)).toBeNull();
  });
});
