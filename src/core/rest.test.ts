// A worker that rests is given nothing and pays nothing for what it gives back.

import { describe, expect, test } from 'vitest';
import { ScriptedCore } from './testing/scripted-core.ts';
import { workerStatus } from './worker-status.ts';

const refused = { rejected: 'placement_refused' };

function stage(given: Parameters<ScriptedCore['submit']>[1] = {}): ScriptedCore {
  const core = new ScriptedCore();
  core.submit('j', { taskCount: 9, ...given });
  core.join('w', { slots: 3, name: 'phone' });
  core.join('other', { slots: 3 });
  return core;
}

function lastEnd(core: ScriptedCore): string | undefined {
  return core.events.findLast((event) => event.type === 'attempt_ended')?.errorMessage;
}

/** A worker over plain HTTP with an assignment that it has not fetched. */
function stagePulling(): ScriptedCore {
  const core = stage();
  const call = { workerId: 'w', connectionId: -1, asksForWork: true };
  core.give({ type: 'attach_worker', ...call, at: core.at });
  core.assign('j', 0, 'w');
  return core;
}

describe('a worker that rests', () => {
  test('is given nothing from its heartbeat on until one without a rest', () => {
    const core = stage();
    expect(core.heartbeat('w', { rest: 'charging' })).toEqual([
      'worker w observed',
      'worker w rests: charging',
    ]);
    expect(core.tryAssign('j', 0, 'w')).toEqual(refused);
    expect(core.heartbeat('w', { rest: 'charging' })).toEqual(['worker w observed']);
    expect(core.heartbeat('w')).toEqual(['worker w observed', 'worker w works']);
    core.assign('j', 0, 'w');
  });

  test('is given nothing after a hello that says so', () => {
    const core = stage();
    expect(core.hello('w', [], { slots: 3, rest: 'hours' })).toContain('worker w rests: hours');
    expect(core.tryAssign('j', 0, 'w')).toEqual(refused);
    expect(core.hello('w', [], { slots: 3 })).toContain('worker w works');
    core.assign('j', 0, 'w');
  });

  test('keeps its status, and remembers since when it rests, whatever the reason is by now', () => {
    const core = stage();
    core.wait(1000);
    core.heartbeat('w', { rest: 'charging' });
    core.wait(1000);
    core.heartbeat('w', { rest: 'hours' });
    expect(workerStatus(core.worker('w'))).toBe('online');
    expect(core.worker('w').rest).toEqual({ because: 'hours', since: 1000 });
    core.close('w');
    core.wait(1000);
    core.hello('w', [], { slots: 3, rest: 'hours' });
    expect(core.worker('w').rest).toEqual({ because: 'hours', since: 1000 });
  });

  test('is asked for what it has not begun, and goes on with the rest', () => {
    const core = stage();
    const held = core.run('j', 0, 'w');
    core.assign('j', 1, 'w');
    expect(core.heartbeat('w', { rest: 'hidden' })).toEqual([
      'worker w observed',
      'worker w rests: hidden',
      'j.1 #1 recalled',
    ]);
    expect(core.checkpoint(held, 1, 0.5)).toEqual(['j.0 #1 saved checkpoint 1 at 0.5']);
    expect(core.complete(held)).toContain('j.0 #1 completed');
  });

  test('is asked again for what a hello names as not begun', () => {
    const core = stage();
    const held = core.assign('j', 0, 'w');
    const said = core.hello('w', [{ ...held, state: 'queued' }], { slots: 3, rest: 'paused' });
    expect(said).toContain('j.0 #1 recalled');
  });

  test('over plain HTTP loses what it has not fetched at once', () => {
    const core = stagePulling();
    expect(core.heartbeat('w', { rest: 'battery' })).toEqual([
      'worker w observed',
      'worker w rests: battery',
      'j.0 #1 recalled',
      'j.0 #1 released (worker_rests)',
      'j.0 requeued',
    ]);
    expect(lastEnd(core)).toBe('Given back before it began, because phone rests.');
    expect(core.task('j', 0).losses).toBe(0);
  });

  test('gives back what it runs with its state, which costs the task nothing', () => {
    const core = stage({ maxAttempts: 1, maxLostAttempts: 1 });
    const held = core.run('j', 0, 'w');
    core.heartbeat('w', { rest: 'charging' });
    core.checkpoint(held, 1, 0.4);
    expect(core.release(held, 'released')).toEqual([
      'j.0 #1 released (worker_rests)',
      'j.0 requeued',
    ]);
    expect(lastEnd(core)).toBe('Given back with its state saved at 40 %, because phone rests.');
    const task = core.task('j', 0);
    expect(task).toMatchObject({ errors: 0, losses: 0, timeouts: 0, avoid: [] });
    expect(task.recovery).toMatchObject({ reason: 'worker_rests' });
    core.assign('j', 0, 'other');
    expect(task.live[0]?.resumedFrom).toMatchObject({ progress: 0.4 });
  });

  test.each(['released', 'refused'] as const)(
    'pays nothing for whatever it has %s meanwhile',
    (outcome) => {
      const core = stage();
      for (let round = 0; round < 9; round++) {
        const held = core.assign('j', 0, 'w');
        core.heartbeat('w', { rest: 'metered' });
        core.release(held, outcome, 'no');
        core.heartbeat('w');
      }
      expect(core.job('j').refusals.size).toBe(0);
      expect(core.worker('w').unwilling).toBeNull();
      expect(core.task('j', 0).avoid).toEqual([]);
      core.assign('j', 0, 'w');
    },
  );

  test('gets no copy', () => {
    const core = stage({ speculation: { maxCopies: 1, maxShare: 1 } });
    core.run('j', 0, 'other');
    core.heartbeat('w', { rest: 'hours' });
    const copy = { type: 'speculate', jobId: 'j', index: 0, workerId: 'w', token: 't' } as const;
    expect(core.give({ ...copy, at: core.at })).toEqual(refused);
    core.heartbeat('w');
    expect(core.give({ ...copy, at: core.at })).toEqual(['j.0 #2 copied to w']);
  });

  test('gets no probe after its quarantine', () => {
    const core = stage({ retryDelayMs: 0 });
    for (const index of [0, 1, 2]) {
      core.fail(core.run('j', index, 'w'));
      core.complete(core.run('j', index, 'other'));
    }
    core.heartbeat('w', { rest: 'hours' });
    expect(core.waitAlive(60_000, 'w', 'other')).toContain('worker w probed');
    expect(core.tryAssign('j', 3, 'w')).toEqual(refused);
    core.heartbeat('w');
    core.assign('j', 3, 'w');
  });

  test('rests on when the clock of the coordinator is set', () => {
    const core = stage();
    core.heartbeat('w', { rest: 'hours' });
    core.at += 5000;
    core.give({ type: 'set_clock', byMs: 5000, at: core.at });
    expect(core.worker('w').rest).toEqual({ because: 'hours', since: 5000 });
  });

  test('drains and leaves beside it, and each ends by itself', () => {
    const core = stage();
    core.heartbeat('w', { rest: 'hours', leaving: true });
    core.give({ type: 'drain_worker', workerId: 'w', at: core.at });
    core.give({ type: 'resume_worker', workerId: 'w', at: core.at });
    core.heartbeat('w', { rest: 'hours' });
    expect(core.tryAssign('j', 0, 'w')).toEqual(refused);
    core.heartbeat('w', { leaving: true });
    expect(core.tryAssign('j', 0, 'w')).toEqual(refused);
    core.heartbeat('w');
    core.assign('j', 0, 'w');
  });
});
