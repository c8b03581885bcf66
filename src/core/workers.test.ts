// Workers come, fall silent, come back and leave: given a state, then exactly these events.

import { describe, expect, test } from 'vitest';
import type { Held } from './testing/scripted-core.ts';
import { ScriptedCore } from './testing/scripted-core.ts';
import { takeSnapshot } from './state.ts';
import { workerStatus } from './worker-status.ts';

function stage(given: Parameters<ScriptedCore['submit']>[1] = {}, slots = 3): ScriptedCore {
  const core = new ScriptedCore();
  core.submit('j', { taskCount: 5, ...given });
  core.join('w', { slots });
  return core;
}

const named = (held: Held, state: 'queued' | 'running' | 'finished' = 'running') => ({
  jobId: held.jobId,
  index: held.index,
  attempt: held.attempt,
  token: held.token,
  state,
});

const beat = (held: Held, progress: number | null = null) => ({ ...named(held), progress });

const unknown = { rejected: 'unknown_worker' };

describe('a worker that registers', () => {
  test('is offline until its hello, then online', () => {
    const core = new ScriptedCore();
    expect(core.join('w')).toEqual(['worker w connected']);
    expect(workerStatus(core.worker('w'))).toBe('online');
    expect(core.events.map(({ type }) => type)).toEqual(['worker_registered', 'worker_connected']);
  });

  test('takes the description of its newest hello', () => {
    const core = new ScriptedCore();
    core.join('w', { slots: 1, name: 'old' });
    core.hello('w', [], { slots: 8, name: 'new' });
    expect(core.worker('w')).toMatchObject({ slots: 8, name: 'new' });
  });

  test('must be known', () => {
    const core = new ScriptedCore();
    expect(core.hello('w')).toEqual(unknown);
    expect(core.heartbeat('w')).toEqual(unknown);
    for (const type of ['hear_worker', 'drain_worker', 'resume_worker'] as const) {
      expect(core.give({ type, workerId: 'w', at: 0 })).toEqual(unknown);
    }
    expect(core.give({ type: 'deregister_worker', workerId: 'w', at: 0 })).toEqual(unknown);
    expect(core.give({ type: 'leave_worker', workerId: 'w', at: 0 })).toEqual(unknown);
  });
});

describe('a hello', () => {
  test('adopts what it names', () => {
    const core = stage();
    const [one, two] = [core.run('j', 0, 'w'), core.assign('j', 1, 'w')];
    core.close('w');
    expect(core.hello('w', [named(one), named(two, 'queued')])).toEqual([
      'worker w connected',
      'j.0 #1 named',
      'j.1 #1 named',
    ]);
    expect(core.stop).toEqual([]);
    expect(core.worker('w').activeTasks).toBe(2);
  });

  test('starts what the coordinator did not know to be running', () => {
    const core = stage({ attemptTimeoutMs: 1000 });
    const held = core.assign('j', 0, 'w');
    core.close('w');
    expect(core.hello('w', [named(held)])).toEqual([
      'worker w connected',
      'j.0 #1 started',
      'j.0 #1 named',
    ]);
  });

  test('adopts once what it names twice', () => {
    const core = stage({ attemptTimeoutMs: 1000 });
    const held = core.assign('j', 0, 'w');
    expect(core.hello('w', [named(held), named(held)])).toEqual([
      'worker w connected',
      'j.0 #1 started',
      'j.0 #1 named',
    ]);
    core.complete(held);
    expect(core.state.deadlines.size).toBe(1);
  });

  test('loses what it does not name: uncharged unless it had started', () => {
    const core = stage();
    core.run('j', 0, 'w');
    core.assign('j', 1, 'w');
    expect(core.hello('w')).toEqual([
      'worker w connected',
      'j.0 #1 lost (connection_lost), charged: loss',
      'j.0 requeued',
      'j.1 #1 released (connection_lost)',
      'j.1 requeued',
    ]);
  });

  test('is told to stop what no longer counts, and keeps what it has finished', () => {
    const core = stage();
    const [one, two] = [core.run('j', 0, 'w'), core.run('j', 1, 'w')];
    core.close('w');
    core.wait(10_000);
    expect(core.hello('w', [named(one), named(two, 'finished')])).toEqual(['worker w connected']);
    expect(core.stop).toEqual(['j.0 #1: stale_attempt']);
    expect(core.complete(two)).toEqual(['j.1 #1 completed']);
  });

  test('is told to stop what it was never given', () => {
    const core = stage();
    const held = core.run('j', 0, 'w');
    core.join('thief');
    core.hello('thief', [{ ...named(held), token: 'guessed' }]);
    expect(core.stop).toEqual(['j.0 #1: not_yours']);
    expect(core.worker('w').activeTasks).toBe(1);
  });

  test('on a newer connection makes the end of the older one mean nothing', () => {
    const core = stage();
    const older = core.worker('w').connection;
    const connectionId = older.state === 'connected' ? older.id : -1;
    core.hello('w');
    const close = { type: 'disconnect_worker', workerId: 'w', connectionId, at: core.at } as const;
    expect(core.give(close)).toEqual([]);
    expect(core.worker('w').connection.state).toBe('connected');
  });
});

describe('a connection that closes', () => {
  test('because the way to it was cut: the worker has its lease besides, in which it would notice', () => {
    const core = stage();
    core.run('j', 0, 'w');
    const { connection } = core.worker('w');
    const connectionId = connection.state === 'connected' ? connection.id : -1;
    const { at } = core;
    core.give({ type: 'disconnect_worker', workerId: 'w', connectionId, isCut: true, at });
    expect(core.wait(24_999)).toEqual([]);
    expect(core.wait(1)).toContain('worker w lost');
  });

  test('leaves the attempts alone for the grace, then they are lost', () => {
    const core = stage();
    core.run('j', 0, 'w');
    core.assign('j', 1, 'w');
    expect(core.close('w')).toEqual(['worker w disconnected']);
    expect(workerStatus(core.worker('w'))).toBe('online');
    expect(core.wait(9999)).toEqual([]);
    expect(core.wait(1)).toEqual([
      'j.0 #1 lost (connection_lost), charged: loss',
      'j.0 requeued',
      'j.1 #1 lost (connection_lost)',
      'j.1 requeued',
      'worker w lost',
    ]);
    expect(workerStatus(core.worker('w'))).toBe('offline');
    expect(core.task('j', 0)).toMatchObject({ losses: 1, avoid: ['w'] });
    expect(core.task('j', 1)).toMatchObject({ losses: 0, avoid: [] });
  });

  test('is forgotten when the worker is back in time', () => {
    const core = stage();
    const held = core.run('j', 0, 'w');
    core.close('w');
    core.wait(9999);
    core.hello('w', [named(held)]);
    expect(core.wait(14_999)).toEqual([]);
    expect(core.worker('w').activeTasks).toBe(1);
  });
});

describe('a worker that is silent', () => {
  test('is lost when its lease ends, with what it held', () => {
    const core = stage();
    core.run('j', 0, 'w');
    expect(core.wait(14_999)).toEqual([]);
    expect(core.wait(1)).toEqual([
      'j.0 #1 lost (worker_lost), charged: loss',
      'j.0 requeued',
      'worker w lost',
    ]);
  });

  test('is alive after any sign of life; the lease is looked at when it is due', () => {
    const core = stage();
    core.wait(14_000);
    core.give({ type: 'hear_worker', workerId: 'w', at: core.at });
    expect(core.wait(1000)).toEqual(['worker w lease renewed']);
    expect(core.wait(13_999)).toEqual([]);
    expect(core.wait(1)).toEqual(['worker w lost']);
  });

  test('fails the task that it takes away for the last time', () => {
    const core = stage({ taskCount: 1, maxLostAttempts: 2 });
    core.run('j', 0, 'w');
    core.close('w');
    core.wait(10_000);
    core.hello('w');
    core.run('j', 0, 'w');
    core.close('w');
    expect(core.wait(10_000)).toEqual([
      'j.0 #2 lost (connection_lost), charged: loss',
      'j.0 failed: connection_lost',
      'worker w lost',
      'job j finished: failed',
    ]);
  });

  test('ends each attempt once when the first takes the job with it', () => {
    const core = stage({ taskCount: 3, maxLostAttempts: 1, onTaskFailure: 'fail_job' });
    core.run('j', 0, 'w');
    core.run('j', 1, 'w');
    core.close('w');
    expect(core.wait(10_000)).toEqual([
      'j.0 #1 lost (connection_lost), charged: loss',
      'j.0 failed: connection_lost',
      'j.1 #1 revoked (job_failed)',
      'job j abandoned',
      'worker w lost',
      'job j finished: failed',
    ]);
  });
});

describe('a heartbeat', () => {
  /** An attempt that arrived in the first frame, long enough ago to be named. */
  function arrived() {
    const core = stage();
    const held = core.run('j', 0, 'w');
    core.task('j', 0).live[0]!.sequence = 1;
    core.at += 7501;
    return { core, held };
  }

  test('loses an attempt that is missing twice in a row', () => {
    const { core } = arrived();
    expect(core.heartbeat('w', { assignSequence: 1 })).toEqual([
      'worker w observed',
      'j.0 #1 missed',
    ]);
    core.at += 2500;
    expect(core.heartbeat('w', { assignSequence: 1 })).toEqual([
      'worker w observed',
      'j.0 #1 lost (connection_lost), charged: loss',
      'j.0 requeued',
    ]);
  });

  test('loses none by heartbeats that come at the same time, as after a standstill of the coordinator', () => {
    const { core, held } = arrived();
    core.at += 40_000;
    core.heartbeat('w', { assignSequence: 1 });
    expect(core.heartbeat('w', { assignSequence: 1, rest: 'paused' })).toEqual([
      'worker w observed',
      'worker w rests: paused',
    ]);
    expect(core.release(held, 'released')).toEqual([
      'j.0 #1 released (worker_rests)',
      'j.0 requeued',
    ]);
  });

  test('counts half an interval between two heartbeats without the time by which the clock was set', () => {
    const { core } = arrived();
    core.heartbeat('w', { assignSequence: 1 });
    core.at += 3_600_000;
    core.give({ type: 'set_clock', byMs: 3_600_000, at: core.at });
    expect(core.heartbeat('w', { assignSequence: 1 })).toEqual(['worker w observed']);
  });

  test('forgets that an attempt was missing when it is named again', () => {
    const { core, held } = arrived();
    core.heartbeat('w', { assignSequence: 1 });
    const said = core.heartbeat('w', { assignSequence: 1, held: [beat(held)] });
    expect(said).toEqual(['worker w observed', 'j.0 #1 named']);
    expect(core.heartbeat('w', { assignSequence: 1 })).toContain('j.0 #1 missed');
  });

  test('does not miss what has not arrived, or is too young to be named', () => {
    const { core } = arrived();
    expect(core.heartbeat('w', { assignSequence: 0 })).toEqual(['worker w observed']);
    const young = core.run('j', 1, 'w');
    core.task('j', 1).live[0]!.sequence = 1;
    expect(core.heartbeat('w', { assignSequence: 1 })).not.toContain('j.1 #1 missed');
    expect(core.complete(young)).toEqual(['j.1 #1 completed']);
  });

  test('brings progress, and the start that it implies', () => {
    const core = stage();
    const held = core.assign('j', 0, 'w');
    expect(core.heartbeat('w', { held: [beat(held, 0.5)] })).toEqual([
      'worker w observed',
      'j.0 #1 started',
      'j.0 #1 progressed to 0.5',
    ]);
    expect(core.heartbeat('w', { held: [beat(held, 0.5)] })).toEqual(['worker w observed']);
  });

  test('is answered with what to stop, except attempts whose report is on its way', () => {
    const core = stage({ retryDelayMs: 0 });
    const [done, failed, gone] = [0, 1, 2].map((index) => core.run('j', index, 'w')) as [
      Held,
      Held,
      Held,
    ];
    core.complete(done);
    core.fail(failed);
    core.release(gone, 'released');
    core.heartbeat('w', { held: [done, failed, gone].map((held) => beat(held)) });
    expect(core.stop).toEqual(['j.2 #1: stale_attempt']);
  });

  test('replaces what was known of the device', () => {
    const core = stage();
    core.assign('j', 0, 'w');
    expect(core.worker('w').assignedSinceHeartbeat).toBe(1);
    const version = core.state.snapshotVersion;
    const measured = { ...core.worker('w').observed, cpuLoadPercent: 70 };
    core.heartbeat('w', { measured, telemetryJson: '{"cpu_load_percent":70}' });
    expect(core.worker('w')).toMatchObject({
      assignedSinceHeartbeat: 0,
      telemetryJson: '{"cpu_load_percent":70}',
      observed: { cpuLoadPercent: 70 },
    });
    expect(core.state.snapshotVersion).toBeGreaterThan(version);
  });
});

describe('a worker that drains, leaves or is removed', () => {
  test('releases what it has not begun when it is drained, and goes on when resumed', () => {
    const core = stage();
    const [running, waiting] = [core.run('j', 0, 'w'), core.assign('j', 1, 'w')];
    const drain = { type: 'drain_worker', workerId: 'w', at: core.at } as const;
    expect(core.give(drain)).toEqual(['worker w drained', 'j.1 #1 recalled']);
    expect(core.give(drain)).toEqual([]);
    expect(workerStatus(core.worker('w'))).toBe('draining');
    core.release(waiting, 'released');
    expect(core.tryAssign('j', 1, 'w')).toEqual({ rejected: 'placement_refused' });
    core.complete(running);
    const resume = { type: 'resume_worker', workerId: 'w', at: core.at } as const;
    expect(core.give(resume)).toEqual(['worker w resumed']);
    expect(core.tryAssign('j', 1, 'w')).toEqual(['j.1 #2 assigned to w']);
  });

  test('stays drained over a new connection', () => {
    const core = stage();
    core.give({ type: 'drain_worker', workerId: 'w', at: core.at });
    core.close('w');
    core.hello('w');
    expect(workerStatus(core.worker('w'))).toBe('draining');
  });

  test('leaves: what it held is released uncharged, and a record tells what had begun', () => {
    const core = stage();
    core.run('j', 0, 'w');
    core.assign('j', 1, 'w');
    expect(core.give({ type: 'leave_worker', workerId: 'w', at: core.at })).toEqual([
      'j.0 #1 released (worker_drained)',
      'j.0 requeued',
      'j.1 #1 released (worker_left)',
      'j.1 requeued',
      'worker w left',
    ]);
    expect(core.task('j', 0)).toMatchObject({ losses: 0, recovery: { reason: 'worker_drained' } });
    expect(core.task('j', 1)).toMatchObject({ losses: 0, recovery: null });
    expect(core.wait(60_000)).toEqual([]);
  });

  test('is deregistered: its attempts are revoked and requeued at once', () => {
    const core = stage();
    const held = core.run('j', 0, 'w');
    expect(core.give({ type: 'deregister_worker', workerId: 'w', at: core.at })).toEqual([
      'j.0 #1 revoked (deregistered)',
      'j.0 requeued',
      'worker w deregistered',
    ]);
    expect(core.state.workers.size).toBe(0);
    expect(core.complete(held)).toEqual({ rejected: 'stale_attempt' });
    expect(core.task('j', 0).losses).toBe(0);
    expect(core.wait(60_000)).toEqual([]);
  });
});

describe('the rows of a snapshot', () => {
  test('are the same array until somebody enters or leaves the matrix', () => {
    const core = stage();
    const rowsOf = () => takeSnapshot(core.state).workers;
    const before = rowsOf();
    core.heartbeat('w');
    core.assign('j', 0, 'w');
    expect(rowsOf()).toBe(before);
    core.join('v');
    expect(rowsOf().map(({ id }) => id)).toEqual(['w', 'v']);
    expect(before.map(({ id }) => id)).toEqual(['w']);
    core.give({ type: 'deregister_worker', workerId: 'w', at: 0 });
    expect(rowsOf().map(({ id }) => id)).toEqual(['v']);
  });
});

describe('a worker that is away', () => {
  const day = 86_400_000;

  test.each([
    ['pc', 30],
    ['browser', 1],
  ])('of the type %s is forgotten after %d days', (type, days) => {
    const core = new ScriptedCore();
    core.join('w', { type });
    core.give({ type: 'leave_worker', workerId: 'w', at: core.at });
    expect(core.wait(days * day - 1)).toEqual([]);
    expect(core.wait(1)).toEqual(['worker w forgotten']);
    expect(core.state.workers.size).toBe(0);
    expect(core.state.dirty.deregistered).toMatchObject([{ mayReturn: true }]);
  });

  test('is not forgotten when it comes back, and has all of its time again', () => {
    const core = new ScriptedCore({ keepAwayMs: day });
    core.join('w');
    core.wait(15_000);
    expect(core.worker('w')).toMatchObject({ awaySince: 15_000 });
    core.wait(day - 1);
    core.hello('w');
    expect(core.worker('w')).toMatchObject({ awaySince: null });
    core.waitAlive(2 * day, 'w');
    core.give({ type: 'leave_worker', workerId: 'w', at: core.at });
    expect(core.wait(day - 1)).toEqual([]);
    expect(core.wait(1)).toEqual(['worker w forgotten']);
  });

  test('has the time for which it is away whatever the clock is set to', () => {
    const core = new ScriptedCore({ keepAwayMs: day });
    core.join('w');
    core.give({ type: 'leave_worker', workerId: 'w', at: core.at });
    core.at += 40 * day;
    core.give({ type: 'set_clock', byMs: 40 * day, at: core.at });
    expect(core.wait(day - 1)).toEqual([]);
    expect(core.wait(1)).toEqual(['worker w forgotten']);
  });

  test('is kept for good where nobody is forgotten', () => {
    const core = new ScriptedCore({ keepAwayMs: null });
    core.join('w');
    core.give({ type: 'leave_worker', workerId: 'w', at: core.at });
    expect(core.wait(1000 * day)).toEqual([]);
  });
});
