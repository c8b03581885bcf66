// Reports on attempts: given a state, when a worker says something, then exactly these events.

import { describe, expect, test } from 'vitest';
import { ScriptedCore } from './testing/scripted-core.ts';

/** One job of one task and two workers. */
function stage(given: Parameters<ScriptedCore['submit']>[1] = {}): ScriptedCore {
  const core = new ScriptedCore();
  core.submit('j', given);
  core.join('w1');
  core.join('w2');
  return core;
}

const stale = { rejected: 'stale_attempt' };
const notYours = { rejected: 'not_yours' };
const refused = { rejected: 'placement_refused' };

describe('a pending task', () => {
  test('is assigned to a worker with a free slot', () => {
    const core = stage();
    expect(core.tryAssign('j', 0, 'w1')).toEqual(['j.0 #1 assigned to w1']);
    expect(core.job('j').status).toBe('running');
    expect(core.task('j', 0)).toMatchObject({ status: 'assigned', attempt: 1, workerId: 'w1' });
  });

  test('is not assigned to a worker that is full, away, draining, leaving or unknown', () => {
    const core = stage({ taskCount: 9 });
    core.assign('j', 0, 'w1');
    expect(core.tryAssign('j', 1, 'w1')).toEqual(refused);
    core.join('away');
    core.close('away');
    expect(core.tryAssign('j', 1, 'away')).toEqual(refused);
    core.join('draining');
    core.give({ type: 'drain_worker', workerId: 'draining', at: core.at });
    expect(core.tryAssign('j', 1, 'draining')).toEqual(refused);
    core.join('leaving');
    core.heartbeat('leaving', { leaving: true });
    expect(core.tryAssign('j', 1, 'leaving')).toEqual(refused);
    expect(core.tryAssign('j', 1, 'nobody')).toEqual(refused);
  });

  test('is assigned only when it is the next of its entry', () => {
    const core = stage({ taskCount: 3 });
    expect(core.tryAssign('j', 1, 'w1')).toEqual(refused);
    expect(core.tryAssign('j', 3, 'w1')).toEqual(refused);
    expect(core.tryAssign('j', -1, 'w1')).toEqual(refused);
    core.assign('j', 0, 'w1');
    expect(core.tryAssign('j', 0, 'w2')).toEqual(refused);
    expect(core.tryAssign('j', 1, 'w2')).toEqual(['j.1 #1 assigned to w2']);
  });

  test('is not assigned before its pause is over', () => {
    const core = stage();
    core.fail(core.run('j', 0, 'w1'));
    expect(core.tryAssign('j', 0, 'w2')).toEqual(refused);
    expect(core.wait(500)).toEqual(['j.0 due']);
    expect(core.tryAssign('j', 0, 'w2')).toEqual(['j.0 #2 assigned to w2']);
  });

  test('comes before fresh ones with a larger index when it waits again', () => {
    const core = stage({ taskCount: 3 });
    const first = core.assign('j', 0, 'w1');
    core.assign('j', 1, 'w2');
    core.release(first, 'released');
    expect(core.tryAssign('j', 2, 'w1')).toEqual(refused);
    expect(core.tryAssign('j', 0, 'w1')).toEqual(['j.0 #2 assigned to w1']);
  });
});

describe('an assigned task', () => {
  test('runs when the worker says that it has started', () => {
    const core = stage();
    const held = core.assign('j', 0, 'w1');
    core.at = 40;
    expect(core.start(held)).toEqual(['j.0 #1 started']);
    expect(core.task('j', 0)).toMatchObject({ status: 'running', startedAt: 40 });
    expect(core.job('j').startedAt).toBe(40);
    expect(core.start(held)).toEqual([]);
  });

  test('runs when progress is the first that is heard of it', () => {
    const core = stage();
    const held = core.assign('j', 0, 'w1');
    expect(core.progress(held, 0.25)).toEqual(['j.0 #1 started', 'j.0 #1 progressed to 0.25']);
    expect(core.progress(held, 0.5)).toEqual(['j.0 #1 progressed to 0.5']);
  });

  test('is completed by a result that came before `started`', () => {
    const core = stage();
    const held = core.assign('j', 0, 'w1');
    core.at = 100;
    expect(core.complete(held, { runMs: 30 })).toEqual([
      'j.0 #1 completed',
      'job j finished: completed',
    ]);
    expect(core.task('j', 0)).toMatchObject({ startedAt: 70, completedAt: 100, runMs: 30 });
    expect(core.worker('w1')).toMatchObject({ totalCompleted: 1, busyMs: 30, activeTasks: 0 });
  });

  test('fails without a `started`, and is charged an error', () => {
    const core = stage({ maxAttempts: 1 });
    expect(core.fail(core.assign('j', 0, 'w1'))).toEqual([
      'j.0 #1 failed (Error), charged: error',
      'j.0 failed: Error',
      'job j finished: failed',
    ]);
    expect(core.job('j').error).toBe('Task 0 failed at attempt 1: Error: boom');
  });
});

describe('a running task that fails', () => {
  test('waits for its next attempt, longer after every error, then has failed', () => {
    const core = stage({ retryDelayMs: 1000 });
    expect(core.fail(core.run('j', 0, 'w1'))).toEqual([
      'j.0 #1 failed (Error), charged: error',
      'j.0 requeued for 500 ms later',
    ]);
    core.wait(500);
    expect(core.fail(core.run('j', 0, 'w2'))).toEqual([
      'j.0 #2 failed (Error), charged: error',
      'j.0 requeued for 1000 ms later',
    ]);
    expect(core.task('j', 0).avoid).toEqual(['w1', 'w2']);
    core.wait(1000);
    expect(core.fail(core.run('j', 0, 'w1'))).toEqual([
      'j.0 #3 failed (Error), charged: error',
      'j.0 failed: Error',
      'job j finished: failed',
    ]);
  });

  test('waits at most as long as the settings allow', () => {
    const core = new ScriptedCore({ maxRetryDelayMs: 3000, leaseMs: 1_000_000 });
    core.submit('j', { maxAttempts: 40, retryDelayMs: 1000 });
    core.join('w1');
    core.chance = 0.999;
    for (let attempt = 1; attempt < 40; attempt++) {
      core.fail(core.run('j', 0, 'w1'));
      expect(core.task('j', 0).notBefore - core.at).toBeLessThanOrEqual(3000);
      core.wait(3000);
    }
    expect(core.task('j', 0)).toMatchObject({ status: 'pending', attempt: 39, errors: 39 });
  });

  test('is tried again at once when the jitter says so', () => {
    const core = stage();
    core.chance = 0;
    expect(core.fail(core.run('j', 0, 'w1'))).toEqual([
      'j.0 #1 failed (Error), charged: error',
      'j.0 requeued',
    ]);
    expect(core.tryAssign('j', 0, 'w2')).toEqual(['j.0 #2 assigned to w2']);
  });

  test('has failed at once when trying again cannot help', () => {
    const core = stage();
    const said = core.fail(core.run('j', 0, 'w1'), { retryable: false, errorType: 'SyntaxError' });
    expect(said).toEqual([
      'j.0 #1 failed (SyntaxError), charged: error',
      'j.0 failed: SyntaxError',
      'job j finished: failed',
    ]);
  });

  test('has a budget of its own for time-outs', () => {
    const core = stage({ maxAttempts: 2, retryDelayMs: 0 });
    core.fail(core.run('j', 0, 'w1'));
    const timedOut = core.fail(core.run('j', 0, 'w1'), { errorType: 'progress_timeout' });
    expect(timedOut).toEqual([
      'j.0 #2 timed_out (progress_timeout), charged: timeout',
      'j.0 requeued',
    ]);
    expect(core.task('j', 0)).toMatchObject({ errors: 1, timeouts: 1 });
    expect(core.fail(core.run('j', 0, 'w1'))).toContain('j.0 failed: Error');
  });

  test('lets the others go on, unless the job fails with it', () => {
    const core = stage({ taskCount: 3, maxAttempts: 1 });
    const other = core.run('j', 0, 'w1');
    core.fail(core.run('j', 1, 'w2'));
    expect(core.job('j').status).toBe('running');
    core.complete(other);
    expect(core.complete(core.run('j', 2, 'w1'))).toEqual([
      'j.2 #1 completed',
      'job j finished: failed',
    ]);
  });

  test('takes the job with it when that was asked for', () => {
    const core = stage({ taskCount: 4, maxAttempts: 1, onTaskFailure: 'fail_job' });
    core.join('w3');
    const other = core.run('j', 0, 'w1');
    core.complete(core.run('j', 1, 'w2'));
    expect(core.fail(core.run('j', 2, 'w3'))).toEqual([
      'j.2 #1 failed (Error), charged: error',
      'j.2 failed: Error',
      'j.0 #1 revoked (job_failed)',
      'job j abandoned',
      'job j finished: failed',
    ]);
    expect(core.job('j').counts).toMatchObject({ completed: 1, failed: 1, cancelled: 2 });
    expect(core.complete(other)).toEqual(stale);
  });
});

describe('an attempt with a time limit', () => {
  test('is timed out by the coordinator some time after its limit, counted from its start', () => {
    const core = stage({ attemptTimeoutMs: 4000, retryDelayMs: 0 });
    const held = core.assign('j', 0, 'w1');
    core.wait(3000);
    core.start(held);
    expect(core.wait(8999)).toEqual([]);
    expect(core.wait(1)).toEqual([
      'j.0 #1 timed_out (attempt_timeout), charged: timeout',
      'j.0 requeued',
    ]);
    expect(core.worker('w1').totalFailed).toBe(1);
  });

  test('may still bring its result while the task is not final', () => {
    const core = stage({ attemptTimeoutMs: 4000 });
    const held = core.run('j', 0, 'w1');
    core.wait(9000);
    expect(core.complete(held)).toEqual(['j.0 #1 completed', 'job j finished: completed']);
  });

  test('acknowledges the failure that is reported after it', () => {
    const core = stage({ attemptTimeoutMs: 4000 });
    const held = core.run('j', 0, 'w1');
    core.wait(9000);
    expect(core.fail(held, { errorType: 'attempt_timeout' })).toEqual([]);
    expect(core.task('j', 0).timeouts).toBe(1);
  });

  test('has no deadline left when it ended in time', () => {
    const core = stage({ attemptTimeoutMs: 4000 });
    core.complete(core.run('j', 0, 'w1'));
    expect(core.wait(10_000)).toEqual([]);
  });
});

describe('the result of a lost attempt', () => {
  /** Lost on w1, waiting or running again on w2. */
  function lost(given: Parameters<ScriptedCore['submit']>[1] = {}) {
    const core = stage(given);
    const late = core.run('j', 0, 'w1');
    core.close('w1');
    core.wait(10_000);
    return { core, late };
  }

  test('is accepted while the task waits for its next attempt', () => {
    const { core, late } = lost();
    expect(core.complete(late)).toEqual(['j.0 #1 completed', 'job j finished: completed']);
    expect(core.task('j', 0).accepted).toMatchObject({ attempt: 1, token: late.token });
    expect(core.state.queue.isEmpty).toBe(true);
  });

  test('is accepted while its replacement runs, which is cancelled', () => {
    const { core, late } = lost();
    const replacement = core.run('j', 0, 'w2');
    expect(core.complete(late)).toEqual([
      'j.0 #2 superseded',
      'j.0 #1 completed',
      'job j finished: completed',
    ]);
    expect(core.worker('w2').activeTasks).toBe(0);
    expect(core.complete(replacement)).toEqual(stale);
  });

  test('is refused when the task is completed', () => {
    const { core, late } = lost();
    core.complete(core.run('j', 0, 'w2'));
    expect(core.complete(late)).toEqual(stale);
    expect(core.worker('w1').totalCompleted).toBe(0);
  });

  test('is refused when the task has failed', () => {
    const { core, late } = lost({ maxAttempts: 1 });
    core.fail(core.run('j', 0, 'w2'));
    expect(core.complete(late)).toEqual(stale);
  });

  test('is refused when the job was cancelled', () => {
    const { core, late } = lost();
    core.give({ type: 'cancel_job', jobId: 'j', at: core.at });
    expect(core.complete(late)).toEqual(stale);
  });

  test('is refused when the job does not take late results', () => {
    const { core, late } = lost({ lateResults: 'reject' });
    expect(core.complete(late)).toEqual(stale);
    expect(core.task('j', 0).status).toBe('pending');
  });

  test('is accepted out of a pause, whose deadline goes with it', () => {
    const core = stage({ attemptTimeoutMs: 1 });
    const late = core.run('j', 0, 'w1');
    core.wait(5001);
    expect(core.task('j', 0).notBefore).toBeGreaterThan(core.at);
    core.complete(late);
    expect(core.state.deadlines.values().map(({ kind }) => kind)).toEqual(['lease', 'lease']);
  });
});

describe('a report', () => {
  test('is acknowledged again when it repeats an accepted result', () => {
    const core = stage();
    const held = core.run('j', 0, 'w1');
    core.complete(held);
    expect(core.complete(held, { resultJson: '"other"' })).toEqual([]);
    expect(core.task('j', 0).resultJson).toBe('1');
  });

  test('is acknowledged again when it repeats a failure', () => {
    const core = stage({ retryDelayMs: 0 });
    const held = core.run('j', 0, 'w1');
    core.fail(held);
    expect(core.fail(held)).toEqual([]);
    core.run('j', 0, 'w2');
    expect(core.fail(held)).toEqual([]);
    expect(core.task('j', 0)).toMatchObject({ errors: 1, status: 'running' });
  });

  test('is stale when it brings a result after the attempt has failed', () => {
    const core = stage();
    const held = core.run('j', 0, 'w1');
    core.fail(held);
    expect(core.complete(held)).toEqual(stale);
  });

  test('is stale when the attempt was released', () => {
    const core = stage();
    const held = core.assign('j', 0, 'w1');
    core.release(held, 'released');
    expect(core.complete(held)).toEqual(stale);
    expect(core.start(held)).toEqual(stale);
    expect(core.progress(held, 0.5)).toEqual(stale);
  });

  test('is not yours with a wrong token, of another worker, or of an attempt that never was', () => {
    const core = stage();
    const held = core.run('j', 0, 'w1');
    expect(core.complete({ ...held, token: 'guessed' })).toEqual(notYours);
    expect(core.complete({ ...held, workerId: 'w2' })).toEqual(notYours);
    expect(core.complete({ ...held, attempt: 2 })).toEqual(notYours);
    expect(core.complete({ ...held, attempt: 0 })).toEqual(notYours);
    expect(core.release({ ...held, attempt: 7 }, 'refused')).toEqual(notYours);
    core.complete(held);
    expect(core.complete({ ...held, token: 'guessed' })).toEqual(notYours);
  });

  test('is stale when its job is gone, and not yours when its task was never given out', () => {
    const core = stage({ taskCount: 2 });
    const held = { jobId: 'j', index: 1, attempt: 1, token: 't', workerId: 'w1' };
    expect(core.complete(held)).toEqual({ rejected: 'not_yours' });
    expect(core.complete({ ...held, index: 2 })).toEqual({ rejected: 'not_yours' });
    expect(core.complete({ ...held, jobId: '__proto__' })).toEqual(stale);
  });
});

describe('a job that limits how long an attempt may be silent', () => {
  test('ends an attempt that reports no progress, and charges a time-out', () => {
    const core = stage({ progressTimeoutMs: 1000, retryDelayMs: 0 });
    const held = core.run('j', 0, 'w1');
    expect(core.wait(999)).toEqual([]);
    expect(core.wait(1)).toEqual([
      'j.0 #1 timed_out (progress_timeout), charged: timeout',
      'j.0 requeued',
    ]);
    expect(core.task('j', 0)).toMatchObject({ timeouts: 1, errors: 0 });
    expect(core.complete(held)).toEqual(['j.0 #1 completed', 'job j finished: completed']);
  });

  test('waits anew with all progress, and not at all for one that has not started', () => {
    const core = stage({ progressTimeoutMs: 1000 });
    const held = core.assign('j', 0, 'w1');
    expect(core.wait(5000)).toEqual([]);
    core.start(held);
    for (const progress of [0.1, 0.2, 0.3]) {
      core.wait(900);
      core.progress(held, progress);
    }
    expect(core.complete(held)).toContain('j.0 #1 completed');
    expect(core.wait(2000)).toEqual([]);
  });
});

describe('an attempt that is released or refused', () => {
  test('is requeued at once and uncharged when it was released', () => {
    const core = stage();
    const held = core.assign('j', 0, 'w1');
    expect(core.release(held, 'released')).toEqual(['j.0 #1 released', 'j.0 requeued']);
    expect(core.job('j').status).toBe('pending');
    expect(core.task('j', 0)).toMatchObject({ errors: 0, losses: 0, timeouts: 0, avoid: [] });
    expect(core.release(held, 'released')).toEqual([]);
  });

  test('is requeued at once and uncharged when it was refused, rather for another worker', () => {
    const core = stage();
    const held = core.assign('j', 0, 'w1');
    expect(core.release(held, 'refused')).toEqual(['j.0 #1 refused', 'j.0 requeued']);
    expect(core.task('j', 0)).toMatchObject({ errors: 0, losses: 0, avoid: ['w1'] });
    expect(core.worker('w1').totalFailed).toBe(0);
  });

  test('may be released after its task was taken away', () => {
    const core = stage();
    const held = core.run('j', 0, 'w1');
    core.close('w1');
    core.wait(10_000);
    expect(core.release(held, 'released')).toEqual([]);
  });
});

describe('a recall', () => {
  test('asks once for the attempts that cannot have begun: all but the oldest', () => {
    const core = new ScriptedCore();
    core.submit('j', { taskCount: 9 });
    core.join('w', { slots: 2 });
    core.at = 1;
    core.complete(core.run('j', 0, 'w'), { runMs: 1 });
    core.at = 2;
    core.complete(core.run('j', 1, 'w'), { runMs: 1 });
    const recall = () =>
      core.give({ type: 'recall_attempts', worker: core.worker('w'), at: core.at });
    core.assign('j', 2, 'w');
    core.assign('j', 3, 'w');
    expect(recall()).toEqual([]);
    core.assign('j', 4, 'w');
    core.assign('j', 5, 'w');
    expect(recall()).toEqual(['j.4 #1 recalled', 'j.5 #1 recalled']);
    expect(recall()).toEqual([]);
  });

  test('leaves the worker nothing beyond its slots until it reports again', () => {
    const core = new ScriptedCore();
    core.submit('j', { taskCount: 9 });
    core.join('w');
    core.at = 1;
    core.complete(core.run('j', 0, 'w'), { runMs: 1 });
    core.run('j', 1, 'w');
    const waiting = core.assign('j', 2, 'w');
    core.give({ type: 'recall_attempts', worker: core.worker('w'), at: core.at });
    core.release(waiting, 'released');
    expect(core.tryAssign('j', 2, 'w')).toEqual(refused);
  });
});
