// Speculation: a copy beside an attempt that takes too long. Whichever brings the result first wins.

import { describe, expect, test } from 'vitest';
import { ScriptedCore } from './testing/scripted-core.ts';

const speculation = { maxCopies: 1, maxShare: 1 };

function stage(given: Parameters<ScriptedCore['submit']>[1] = {}): ScriptedCore {
  const core = new ScriptedCore();
  core.submit('j', { speculation, ...given });
  for (const id of ['w1', 'w2', 'w3']) core.join(id);
  return core;
}

describe('a running attempt', () => {
  test('gets a copy with the next number on another worker', () => {
    const core = stage();
    core.run('j', 0, 'w1');
    const copy = core.copy('j', 0, 'w2');
    expect(copy.attempt).toBe(2);
    expect(core.task('j', 0)).toMatchObject({ status: 'running', attempt: 2 });
    expect(core.job('j').counts).toMatchObject({ running: 1, assigned: 0 });
  });

  test('gets no copy without speculation, on its own worker, beyond the limit, or on a busy one', () => {
    const plain = stage({ speculation: null });
    plain.run('j', 0, 'w1');
    expect(() => plain.copy('j', 0, 'w2')).toThrow('placement_refused');
    const core = stage({ taskCount: 2 });
    core.run('j', 0, 'w1');
    core.run('j', 1, 'w3');
    expect(() => core.copy('j', 0, 'w1')).toThrow('placement_refused');
    expect(() => core.copy('j', 0, 'w3')).toThrow('placement_refused');
    core.copy('j', 0, 'w2');
    core.complete({ ...core.assignedTo('w3') });
    expect(() => core.copy('j', 0, 'w3')).toThrow('placement_refused');
  });
});

describe('a copy and its original', () => {
  test('end when the copy is first: the original is superseded, and a straggler', () => {
    const core = stage();
    core.run('j', 0, 'w1');
    core.wait(5000);
    const copy = core.copy('j', 0, 'w2');
    core.start(copy);
    core.wait(1000);
    expect(core.complete(copy)).toEqual([
      'j.0 #1 superseded',
      'j.0 #2 completed',
      'job j finished: completed',
    ]);
    expect(core.task('j', 0)).toMatchObject({ assignedAt: 5000, startedAt: 5000 });
    const [recovery] = core.state.dirty.recoveries;
    expect(recovery).toMatchObject({
      reason: 'straggler',
      fromWorkerId: 'w1',
      toWorkerId: 'w2',
      attempt: 1,
      nextAttempt: 2,
      outcome: 'restarted',
      timeLostSeconds: 6,
    });
  });

  test('end when the original is first: the copy is superseded, and nothing was lost', () => {
    const core = stage();
    const original = core.run('j', 0, 'w1');
    core.start(core.copy('j', 0, 'w2'));
    expect(core.complete(original)).toEqual([
      'j.0 #2 superseded',
      'j.0 #1 completed',
      'job j finished: completed',
    ]);
    expect(core.state.dirty.recoveries.size).toBe(0);
  });

  test('carry the task on for each other: the loss or failure of one charges and requeues nothing', () => {
    const core = stage({ maxAttempts: 1, maxLostAttempts: 1 });
    const original = core.run('j', 0, 'w1');
    const copy = core.copy('j', 0, 'w2');
    core.start(copy);
    expect(core.fail(original)).toEqual(['j.0 #1 failed (Error), charged: error']);
    expect(core.task('j', 0)).toMatchObject({ status: 'running', errors: 0 });
    expect(core.complete(copy)).toEqual(['j.0 #2 completed', 'job j finished: completed']);
  });

  test('become one attempt like any other when the original is lost', () => {
    const core = stage();
    core.run('j', 0, 'w1');
    const copy = core.copy('j', 0, 'w2');
    core.start(copy);
    expect(core.checkpoint(copy, 1, 0.5)).toEqual({ rejected: 'stale_attempt' });
    core.close('w1');
    core.wait(10_000);
    expect(core.task('j', 0).live).toMatchObject([{ attempt: 2, isCopy: false }]);
    expect(core.checkpoint(copy, 1, 0.5)).toEqual(['j.0 #2 saved checkpoint 1 at 0.5']);
  });

  test('leave the original with its checkpoints when the copy is lost', () => {
    const core = stage();
    const original = core.run('j', 0, 'w1');
    core.start(core.copy('j', 0, 'w2'));
    core.close('w2');
    core.wait(10_000);
    expect(core.checkpoint(original, 1, 0.5)).toEqual(['j.0 #1 saved checkpoint 1 at 0.5']);
    expect(core.complete(original)).toEqual(['j.0 #1 completed', 'job j finished: completed']);
  });

  test('are both revoked when the job is cancelled', () => {
    const core = stage();
    core.run('j', 0, 'w1');
    core.copy('j', 0, 'w2');
    expect(core.give({ type: 'cancel_job', jobId: 'j', at: core.at })).toEqual([
      'j.0 #1 revoked (cancelled)',
      'j.0 #2 revoked (cancelled)',
      'job j cancelled',
      'job j finished: cancelled',
    ]);
  });
});
