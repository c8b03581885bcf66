// A job that is held starts nothing new; what runs goes on.

import { describe, expect, test } from 'vitest';
import { ScriptedCore } from './testing/scripted-core.ts';

function stage(given: Parameters<ScriptedCore['submit']>[1] = {}): ScriptedCore {
  const core = new ScriptedCore();
  core.submit('j', { taskCount: 4, retryDelayMs: 1000, ...given });
  core.join('w', { slots: 4 });
  core.join('other', { slots: 4 });
  return core;
}

const hold = (core: ScriptedCore) => core.give({ type: 'hold_job', jobId: 'j', at: core.at });
const release = (core: ScriptedCore) => core.give({ type: 'release_job', jobId: 'j', at: core.at });
const refused = { rejected: 'placement_refused' };

describe('a job that is held', () => {
  test('starts nothing new, and takes back what has not begun', () => {
    const core = stage();
    core.run('j', 0, 'w');
    core.assign('j', 1, 'w');
    expect(hold(core)).toEqual(['job j held', 'j.1 #1 recalled']);
    expect(core.tryAssign('j', 2, 'w')).toEqual(refused);
    expect([...core.state.queue.lanes()]).toEqual([]);
    core.wait(5);
    expect(hold(core)).toEqual([]);
  });

  test('lets what runs go on; its retries and resumptions wait', () => {
    const core = stage();
    const [good, failing, lost] = [0, 1, 2].map((index) => core.run('j', index, 'w'));
    hold(core);
    expect(core.complete(good!)).toContain('j.0 #1 completed');
    core.fail(failing!);
    core.release(lost!, 'released');
    core.state.wantsPass = false;
    core.waitAlive(5000, 'w', 'other');
    expect(core.task('j', 1)).toMatchObject({ status: 'pending', notBefore: 0 });
    for (const index of [1, 2, 3]) expect(core.tryAssign('j', index, 'other')).toEqual(refused);
    expect(release(core)).toEqual(['job j released']);
    expect(core.state.wantsPass).toBe(true);
    expect(core.tryAssign('j', 1, 'other')).toEqual(['j.1 #2 assigned to other']);
    expect(core.tryAssign('j', 2, 'other')).toEqual(['j.2 #2 assigned to other']);
    expect(core.tryAssign('j', 3, 'other')).toEqual(['j.3 #1 assigned to other']);
    expect(release(core)).toEqual([]);
  });

  test('is no reason for a pass: a retry that is due leaves the queue empty', () => {
    const core = stage({ taskCount: 1 });
    const held = core.run('j', 0, 'w');
    hold(core);
    core.fail(held);
    core.state.wantsPass = false;
    expect(core.waitAlive(1000, 'w', 'other')).toContain('j.0 due');
    expect(core.state.wantsPass).toBe(false);
    expect(core.state.queue.isEmpty).toBe(true);
  });

  test('gets no copies', () => {
    const core = stage({ speculation: { maxCopies: 1, maxShare: 1 } });
    core.run('j', 0, 'w');
    hold(core);
    expect(() => core.copy('j', 0, 'other')).toThrow('placement_refused');
  });

  test('is taken back at once what was not fetched over plain HTTP', () => {
    const core = stage();
    const call = { workerId: 'w', connectionId: -1, asksForWork: true };
    core.give({ type: 'attach_worker', ...call, at: core.at });
    core.assign('j', 0, 'w');
    expect(hold(core)).toEqual([
      'job j held',
      'j.0 #1 recalled',
      'j.0 #1 released (job_held)',
      'j.0 requeued',
    ]);
  });

  test('is asked for again when the worker comes back with what it has not begun', () => {
    const core = stage();
    const running = core.run('j', 0, 'w');
    const waiting = core.assign('j', 1, 'w');
    hold(core);
    core.close('w');
    const held = [
      { ...running, state: 'running' },
      { ...waiting, state: 'queued' },
    ] as const;
    expect(core.hello('w', held)).toContain('j.1 #1 recalled');
    core.release(waiting, 'released');
    expect(core.task('j', 1)).toMatchObject({ status: 'pending' });
    expect(core.task('j', 0)).toMatchObject({ status: 'running' });
  });

  test('can be cancelled, and is not held any more', () => {
    const core = stage();
    hold(core);
    core.give({ type: 'cancel_job', jobId: 'j', at: core.at });
    expect(core.job('j')).toMatchObject({ status: 'cancelled', heldAt: null });
    expect(hold(core)).toEqual({ rejected: 'job_is_final' });
  });

  test('is not held any more when its last task ends', () => {
    const core = stage({ taskCount: 1 });
    const held = core.run('j', 0, 'w');
    hold(core);
    core.complete(held);
    expect(core.job('j')).toMatchObject({ status: 'completed', heldAt: null });
  });

  test('may begin so', () => {
    const core = stage({ hold: true });
    expect(core.tryAssign('j', 0, 'w')).toEqual(refused);
    release(core);
    expect(core.tryAssign('j', 0, 'w')).toEqual(['j.0 #1 assigned to w']);
  });
});

test('a job that nobody knows cannot be held or released', () => {
  const core = new ScriptedCore();
  expect(hold(core)).toEqual({ rejected: 'unknown_job' });
  expect(release(core)).toEqual({ rejected: 'unknown_job' });
});
