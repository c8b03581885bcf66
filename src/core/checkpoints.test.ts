// Saved progress: who may save it, what is kept of it, and what a lost attempt's task resumes from.

import { describe, expect, test } from 'vitest';
import { type Held, ScriptedCore } from './testing/scripted-core.ts';

function stage(given: Parameters<ScriptedCore['submit']>[1] = {}): ScriptedCore {
  const core = new ScriptedCore();
  core.submit('j', given);
  core.join('w1');
  core.join('w2');
  return core;
}

function kept(core: ScriptedCore): string[] {
  return core.task('j', 0).checkpoints.map(({ attempt, sequence }) => `${attempt}.${sequence}`);
}

/** The connection of the worker closes for good, and its attempts are lost. */
function lose(core: ScriptedCore, workerId: string): void {
  core.close(workerId);
  core.waitAlive(10_000, 'w2');
}

describe('a checkpoint of a running attempt', () => {
  test('is saved, and counts as progress', () => {
    const core = stage();
    const held = core.run('j', 0, 'w1');
    core.wait(3000);
    expect(core.checkpoint(held, 1, 0.25)).toEqual(['j.0 #1 saved checkpoint 1 at 0.25']);
    expect(core.task('j', 0).live[0]).toMatchObject({ progress: 0.25 });
    expect(core.task('j', 0).checkpoints).toMatchObject([{ progress: 0.25, runMs: 3000 }]);
  });

  test('starts an attempt that had not said that it runs', () => {
    const core = stage();
    const held = core.assign('j', 0, 'w1');
    expect(core.checkpoint(held, 1, 0.1)).toEqual([
      'j.0 #1 started',
      'j.0 #1 saved checkpoint 1 at 0.1',
    ]);
  });

  test('counts the run time that its worker tells, also when its start was heard with it', () => {
    const core = stage();
    const held = core.assign('j', 0, 'w1');
    core.wait(3000);
    core.checkpoint(held, 1, 0.1, 2000);
    expect(core.task('j', 0).checkpoints).toMatchObject([{ runMs: 2000 }]);
  });

  test('counts no more run time than the attempt was with its worker', () => {
    const core = stage();
    core.wait(5000);
    const held = core.run('j', 0, 'w1');
    core.wait(3000);
    core.checkpoint(held, 1, 0.1, 60_000);
    expect(core.task('j', 0).checkpoints).toMatchObject([{ runMs: 3000 }]);
  });

  test('makes the oldest of three give up its state', () => {
    const core = stage();
    const held = core.run('j', 0, 'w1');
    for (const sequence of [1, 2, 3]) core.checkpoint(held, sequence, sequence / 10);
    expect(kept(core)).toEqual(['1.2', '1.3']);
    expect(core.state.dirty.droppedStates).toEqual([1]);
  });

  test('is acknowledged again without effect when it is repeated, and when a newer one is there', () => {
    const core = stage();
    const held = core.run('j', 0, 'w1');
    core.checkpoint(held, 1, 0.1);
    core.checkpoint(held, 2, 0.2);
    expect(core.checkpoint(held, 2, 0.2)).toEqual([]);
    expect(core.checkpoint(held, 1, 0.1)).toEqual([]);
    expect(kept(core)).toEqual(['1.1', '1.2']);
  });

  test('is refused with a wrong token, from another worker, and of an attempt that never was', () => {
    const core = stage();
    const held = core.run('j', 0, 'w1');
    const notYours = { rejected: 'not_yours' };
    expect(core.checkpoint({ ...held, token: 'guessed' }, 1, 0.1)).toEqual(notYours);
    expect(core.checkpoint({ ...held, workerId: 'w2' }, 1, 0.1)).toEqual(notYours);
    expect(core.checkpoint({ ...held, attempt: 2 }, 1, 0.1)).toEqual(notYours);
    expect(kept(core)).toEqual([]);
  });
});

describe('a checkpoint of an attempt that no longer holds its task', () => {
  test('is refused after the attempt was lost, while its task waits and while it runs again', () => {
    const core = stage();
    const lost = core.run('j', 0, 'w1');
    lose(core, 'w1');
    expect(core.checkpoint(lost, 1, 0.5)).toEqual({ rejected: 'stale_attempt' });
    core.run('j', 0, 'w2');
    expect(core.checkpoint(lost, 1, 0.5)).toEqual({ rejected: 'stale_attempt' });
    expect(kept(core)).toEqual([]);
  });

  test('is refused after the task was completed and after its job was cancelled', () => {
    const core = stage({ taskCount: 2 });
    const first = core.run('j', 0, 'w1');
    core.complete(first);
    expect(core.checkpoint(first, 1, 0.5)).toEqual({ rejected: 'stale_attempt' });
    const second = core.run('j', 1, 'w1');
    core.give({ type: 'cancel_job', jobId: 'j', at: core.at });
    expect(core.checkpoint(second, 1, 0.5)).toEqual({ rejected: 'stale_attempt' });
  });
});

describe('a task whose attempt was lost after a checkpoint', () => {
  function lostAt(core: ScriptedCore): Held {
    const held = core.run('j', 0, 'w1');
    core.waitAlive(4000, 'w1', 'w2');
    core.checkpoint(held, 1, 0.4);
    core.waitAlive(2000, 'w1', 'w2');
    lose(core, 'w1');
    return held;
  }

  test('resumes from it on any worker, and the recovery event says so', () => {
    const core = stage();
    lostAt(core);
    core.run('j', 0, 'w2');
    expect(core.task('j', 0).live[0]?.resumedFrom).toMatchObject({ attempt: 1, sequence: 1 });
    const [recovery] = core.state.dirty.recoveries;
    expect(recovery).toMatchObject({
      reason: 'connection_lost',
      outcome: 'resumed',
      checkpointId: '1',
      resumedFromProgress: 0.4,
      workSavedSeconds: 4,
      // Two seconds after the checkpoint, and the grace of ten.
      timeLostSeconds: 12,
    });
  });

  test('adds up the run time behind its checkpoints over its attempts', () => {
    const core = stage();
    lostAt(core);
    const second = core.run('j', 0, 'w2');
    core.wait(1000);
    core.checkpoint(second, 1, 0.5);
    expect(kept(core)).toEqual(['1.1', '2.1']);
    expect(core.task('j', 0).checkpoints.at(-1)).toMatchObject({ runMs: 5000 });
  });

  test('resumes from the one before when the newest cannot be read', () => {
    const core = stage();
    const held = core.run('j', 0, 'w1');
    core.checkpoint(held, 1, 0.1);
    core.checkpoint(held, 2, 0.2);
    lose(core, 'w1');
    const next = core.assign('j', 0, 'w2');
    const drop = { type: 'drop_checkpoint', jobId: 'j', index: 0, checkpointId: 2 } as const;
    expect(core.give({ ...drop, at: core.at })).toEqual(['j.0 dropped checkpoint 2']);
    core.start(next);
    const [recovery] = core.state.dirty.recoveries;
    expect(recovery).toMatchObject({ outcome: 'resumed', resumedFromProgress: 0.1 });
    expect(core.give({ ...drop, at: core.at })).toEqual([]);
  });

  test('begins anew when none can be read', () => {
    const core = stage();
    lostAt(core);
    core.assign('j', 0, 'w2');
    core.give({ type: 'drop_checkpoint', jobId: 'j', index: 0, checkpointId: 1, at: core.at });
    const [recovery] = core.state.dirty.recoveries;
    expect(recovery).toMatchObject({ outcome: 'restarted', checkpointId: null });
  });
});

describe('the states of a task', () => {
  test('are dropped when it completes or is cancelled, and kept when it fails, for a retry', () => {
    const core = stage({ taskCount: 3, maxAttempts: 1 });
    const first = core.run('j', 0, 'w1');
    core.checkpoint(first, 1, 0.1);
    core.complete(first);
    expect(core.state.dirty.droppedStates).toEqual([1]);
    const second = core.run('j', 1, 'w1');
    core.checkpoint(second, 1, 0.1);
    core.fail(second);
    expect(core.task('j', 1)).toMatchObject({ status: 'failed', checkpoints: [{ id: 2 }] });
    const third = core.run('j', 2, 'w1');
    core.checkpoint(third, 1, 0.1);
    core.give({ type: 'cancel_job', jobId: 'j', at: core.at });
    expect(core.state.dirty.droppedStates).toEqual([1, 3]);
  });
});
